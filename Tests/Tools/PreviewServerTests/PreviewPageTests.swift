import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Words, search and filter of a preview page.
struct PreviewPageTests {
    @Test func `a preview page in German has German phrases, and prices in its buttons`() async throws {
        try await ServedPreview.run { preview in
            try await preview.shop.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
            let page = try await preview.send("GET", "?language=de&storefront=DEU").body
            #expect(page.contains("<h2 class=\"heading\" lang=\"de\">Produkte"))
            #expect(page.contains("<span class=\"state owned\">Gekauft</span>"))
            let button = page.firstMatch(of: /id="p1-buy"[^>]*><span class="unseen">Kaufen: <\/span><bdi>([^<]*)</)
            #expect(button?.1.contains("€") == true)
            #expect(!page.contains("non-consumable") && !page.contains(">Buy<"))
        }
    }

    @Test func `a preview page in Arabic runs from right to left, and texts have the direction of their letters`()
        async throws
    {
        try await ServedPreview.run { preview in
            let page = try await preview.send("GET", "?language=ar").body
            #expect(page.contains("data-part=\"ranges\" lang=\"ar\" dir=\"rtl\""))
            #expect(page.contains("<h3 id=\"p0-title\" dir=\"auto\">"))
            #expect(page.contains("lang=\"ar\">المنتجات"))
            #expect(page.contains("<option value=\"ar\" selected>Arabic</option>"))
        }
    }

    private static let catalog = PlistText.document(
        "<array>"
            + (0..<40).map {
                "<dict><key>productIdentifier</key><string>p\($0)</string><key>consumable</key><false/>"
                    + "<key>productTitle</key><string>Thing \($0)</string></dict>"
            }.joined() + "</array>")

    @Test func `a preview of many products is searched and filtered by its address`() async throws {
        try await ServedPreview.run(catalog: Self.catalog) { preview in
            try await preview.shop.perform(.buy(product: "p7", quantity: 1))
            let found = { (query: String) in
                try await preview.send("GET", query).body.matches(of: /<article class="card [a-z]+" id="(p[0-9]+)"/)
                    .map { String($0.1) }
            }
            #expect(try await found("").count == 24)
            #expect(try await found("?search=thing%2039") == ["p39"])
            #expect(try await found("?state=owned") == ["p7"])
            #expect(try await found("?state=owned&search=39") == [])
            #expect(try await found("products?search=Thing%203&from=0&to=24").count == 11)
            let page = try await preview.send("GET", "?search=%22%3E%3Cb%3E&device=phone").body
            #expect(page.contains("id=\"filter-text\" name=\"search\" value=\"&quot;&gt;&lt;b&gt;\""))
            #expect(page.contains("data-query=\"device=phone&amp;search=%22%3E%3Cb%3E\""))
            #expect(page.contains("<input type=\"hidden\" name=\"device\" value=\"phone\">"))
        }
    }

    @Test func `a preview of few products has no search field`() async throws {
        try await ServedPreview.run { preview in
            let page = try await preview.send().body
            #expect(!page.contains("id=\"filter\""))
        }
    }
}
