import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Preview page in a real browser.
@Suite(
    .blocksThreads, .hangLimit, .serialized, .enabled(if: PreviewPeer.isInstalled, PreviewPeer.missing))
struct PreviewBrowserTests {
    @Test(arguments: ["story", "keyboard", "reading"])
    func `the previewed shop works with mouse and keyboard and is accessible in a real browser`(_ command: String)
        async throws
    {
        try await ServedPreview.run { try await PreviewPeer.expect(command, .init(url: $0.url)) }
    }

    @Test func `a page of another origin cannot read or change the preview, even if it knows the address`() async throws
    {
        try await ServedPreview.run { preview in
            let revision = await preview.shop.revision
            try await PreviewPeer.expect("attack", .init(url: preview.url))
            #expect(await preview.shop.revision == revision)
        }
    }

    @Test func `the preview page shows each saved catalog, and the last valid catalog while the file is broken`()
        async throws
    {
        try await ServedPreview.run { preview in
            let catalog = preview.folder["Voyager.plist"].path(percentEncoded: false)
            try await PreviewPeer.expect("live", .init(url: preview.url, catalog: catalog))
        }
    }

    @Test func `a shop of 10,000 products can be scrolled to its end while the page remains small`() async throws {
        let products = (0..<10_000).map {
            "<dict><key>productIdentifier</key><string>com.example.shop.item\($0)</string><key>consumable</key><false/>"
                + "<key>productTitle</key><string>Thing \($0)</string></dict>"
        }
        let catalog = PlistText.document("<array>\(products.joined(separator: "\n"))</array>")
        try await ServedPreview.run(catalog: catalog) {
            try await PreviewPeer.expect("large", .init(url: $0.url, count: products.count))
        }
    }

    @Test func `hostile texts are shown as text and do not break the layout of the preview page`()
        async throws
    {
        let texts = HostileTextTests.texts.map(\.text)
        let products = texts.enumerated().map { index, text in
            let escaped = HostileTextTests.escaped(text)
            return "<dict><key>productIdentifier</key><string>com.example.hostile\(index)</string><key>consumable</key>"
                + "<false/><key>productTitle</key><string>\(escaped)</string>"
                + "<key>longDescription</key><string>\(escaped)</string></dict>"
        }
        let catalog = PlistText.document("<array>\(products.joined(separator: "\n"))</array>")
        try await ServedPreview.run(catalog: catalog) {
            try await PreviewPeer.expect("hostile", .init(url: $0.url, texts: texts))
        }
    }
}
