import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Forms of a preview page.
struct PreviewFormTests {
    private struct Result: Decodable {
        let message: String
        let succeeded: Bool
    }

    private let script = ("Accept", "application/json")

    private func result(_ answer: PreviewAnswer) throws -> Result {
        #expect(answer.fields["content-type"] == "application/json")
        return try JSONDecoder().decode(Result.self, from: Data(answer.body.utf8))
    }

    @Test func `a browser without scripts can buy a product in the preview and returns to the same view`() async throws
    {
        try await ServedPreview.run { preview in
            let form = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1).fields.map {
                ($0.key, $0.value)
            }
            let answer = try await preview.send("POST", "actions?device=phone&language=de&scheme=dark", form: form)
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == "./?language=de&device=phone&scheme=dark")
            let page = try await preview.send("GET", "?language=de&device=phone&scheme=dark")
            #expect(page.body.contains("Lissabon"))
            #expect(page.body.contains("data-device=\"phone\" data-scheme=\"dark\""))
            #expect(page.body.contains("<article class=\"card owned\" id=\"p0\""))
        }
    }

    @Test func `a preview script that submits a form receives the result as JSON`() async throws {
        try await ServedPreview.run { preview in
            let form = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1).fields.map {
                ($0.key, $0.value)
            }
            let bought = try result(try await preview.send("POST", "actions", form: form, headers: [script]))
            #expect(bought.succeeded)
            #expect(bought.message.contains("bought com.example.voyager.lisbon"))
            let back = try result(try await preview.send("POST", "back", form: [("step", "0")], headers: [script]))
            #expect(back.succeeded)
            #expect(try await preview.send().body.contains("<article class=\"card buyable\" id=\"p0\""))
        }
    }

    @Test func `a preview scene is saved with its view, opened by its address and removed`() async throws {
        try await ServedPreview.run { preview in
            let buy = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1)
            _ = try await preview.send("POST", "actions", form: buy.fields.map { ($0.key, $0.value) })
            let saved = try await scene("save", "device=tablet&scheme=dark&language=de", preview)
            #expect(saved.succeeded)
            try await preview.shop.goBack(to: 0)
            let page = try await preview.send().body
            #expect(page.contains("owns &lt;Lisbon&gt; &amp; &quot;more&quot;"))
            let address = String(try #require(page.firstMatch(of: /class="scene" href="(\?scene=[^"]+)"/)?.1))
            let early = try await preview.send("GET", address, headers: [("Sec-Purpose", "prefetch;prerender")])
            #expect(early.status == 503)
            #expect(await preview.shop.page(PreviewView(), products: 0..<1).cards[0].state == .buyable)
            let opened = try await preview.send("GET", address)
            #expect(opened.status == 200)
            #expect(opened.body.contains("data-query=\"language=de&amp;device=tablet&amp;scheme=dark\""))
            #expect(opened.body.contains("<article class=\"card owned\" id=\"p0\""))
            for (verb, succeeds) in [("remove", true), ("remove", false), ("burn", false)] {
                let result = try await scene(verb, "", preview)
                #expect(result.succeeded == succeeds, "\(verb)")
            }
            let gone = try await preview.send("GET", address)
            #expect(gone.status == 404 && gone.body.contains("there is no scene owns &lt;Lisbon&gt;"))
        }
    }

    @Test func `the thumbnail of a preview scene shows its state, and does not open the scene`() async throws {
        var icons: [String: Data] = [:]
        for name in ["madrid.png", "lisbon.png"] { icons[name] = try Data(contentsOf: Repository.sample(name)) }
        try await ServedPreview.run(files: icons) { preview in
            try await preview.shop.perform(.buy(product: "com.example.voyager.madrid", quantity: 1))
            try await preview.shop.perform(.buy(product: "com.example.voyager.coins50", quantity: 1))
            try await preview.shop.save(scene: "Madrid", view: PreviewView(language: "de", storefront: "DEU"))
            try await preview.shop.goBack(to: 0)
            let revision = await preview.shop.revision
            let page = try await preview.send().body
            let address = try #require(page.firstMatch(of: /src="(thumbnail\?scene=Madrid)&amp;version=[0-9]+"/)?.1)
            let picture = try await preview.send("GET", String(address))
            #expect(picture.status == 200 && picture.fields["content-type"] == "image/svg+xml")
            expectSafe(picture)
            let texts = picture.body.matches(of: />([^<>\n]+)<\/text>/).map { String($0.1) }
            #expect(texts[0] == "Voyager" && texts[1] == "50 coins", "\(texts)")
            #expect(texts[2].hasPrefix("Reiseführer M") && texts[3] == "✓ Gekauft", "\(texts)")
            #expect(texts[4].hasPrefix("Reiseführer L") && texts[5].hasSuffix("€"), "\(texts)")
            #expect(picture.body.contains("href=\"data:image/png;base64,"))
            #expect(await preview.shop.revision == revision)
            #expect(try await preview.send("GET", "thumbnail?scene=Gold").status == 404)
        }
    }

    private func scene(_ verb: String, _ query: String, _ preview: ServedPreview) async throws -> Result {
        let form = [("do", verb), ("name", "owns <Lisbon> & \"more\"")]
        return try result(try await preview.send("POST", "scenes?\(query)", form: form, headers: [script]))
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let id, path: String
        let form: [(String, String)]

        var testDescription: String { id }
    }

    @Test(arguments: [
        Wrong(id: "no action", path: "actions", form: []),
        Wrong(id: "an unknown action", path: "actions", form: [("action", "burn")]),
        Wrong(id: "no step", path: "back", form: []),
        Wrong(id: "a step that is no number", path: "back", form: [("step", "x")]),
        Wrong(id: "a step that there is not", path: "back", form: [("step", "99")]),
        Wrong(id: "a negative step", path: "back", form: [("step", "-1")]),
        Wrong(id: "a scene without a name", path: "scenes", form: [("do", "save"), ("name", "")]),
        Wrong(
            id: "a form that is too large", path: "actions", form: [("action", String(repeating: "x", count: 9_000))]),
    ])
    func `an invalid form of the preview is refused with a reason and changes nothing`(_ wrong: Wrong) async throws {
        try await ServedPreview.run { preview in
            let revision = await preview.shop.revision
            let answer = try await preview.send("POST", wrong.path, form: wrong.form, headers: [script])
            #expect([400, 409].contains(answer.status))
            #expect(try !result(answer).message.isEmpty)
            let notice = try await preview.send("POST", wrong.path, form: wrong.form)
            #expect(notice.status == answer.status)
            #expect(notice.fields["content-type"] == "text/html; charset=utf-8")
            #expect(await preview.shop.revision == revision)
        }
    }

    @Test func `preview pages ignore query parameters with unknown values`() async throws {
        try await ServedPreview.run { preview in
            let page = try await preview.send(
                "GET", "?device=watch&scheme=red&language=%22%3E&storefront=%3Cb%3E&from=-1&to=x")
            #expect(page.status == 200)
            #expect(page.body.contains("data-device=\"computer\">"))
            #expect(page.body.contains("data-query=\"device=computer\""))
        }
    }
}
