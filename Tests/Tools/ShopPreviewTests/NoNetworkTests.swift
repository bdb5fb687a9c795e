import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Addresses in the files of a preview, which are not requested.
struct NoNetworkTests {
    /// Returns the keys of hosted content at an address, and of images at addresses.
    private func addresses(_ server: LoopbackServer) -> String {
        let digest = "sha256:" + String(repeating: "0", count: 64)
        let images = server.url.absoluteString.replacing("http:", with: "https:")
        return """
            <key>hosted</key><true/><key>localContentPath</key><string>guides/a</string>
            <key>contentURL</key><array><string>\(server.url)content.zip</string><string>\(server.url)mirror.zip</string></array>
            <key>contentDigest</key><string>\(digest)</string><key>contentVersion</key><string>1.0</string>
            <key>productIcon</key><string>\(images)icon.png</string>
            <key>featuredImage</key><string>\(images)featured.png</string>
            """
    }

    @Test func `the preview requests no address of the catalog and sells content on web servers with a stand-in`()
        async throws
    {
        let server = try await LoopbackServer { _ in .reply(404, headers: [:], body: Data()) }
        let products = PreviewedShop.product("a", addresses(server)) + PreviewedShop.product("b")
        let preview = try await PreviewedShop.of(products)
        let note = "is fetched by the app, and not by the preview"
        #expect(await preview.page().cards[0].findings.count { $0.message.contains(note) } == 3)
        let bought = try await preview.perform(.buy(product: "a", quantity: 1))
        #expect(bought?.outcome == .done)
        #expect(bought?.events.contains("content installed: a (version 1.0)") == true, "\(bought?.events ?? [])")
        #expect(try await preview.card("a")?.content?.installedCount == 1)
        let again = try await preview.perform(.removeContent(product: "a"), .download(product: "a"))
        #expect(again?.outcome == .done)
        try await preview.perform(
            .restore, .network(isOn: false), .network(isOn: true), .advance(seconds: 40 * 86_400))
        _ = await preview.page(PreviewView(language: "ja", storefront: "JPN"))
        try preview.replace("Shop.plist", by: PreviewedShop.catalog(products + PreviewedShop.product("c")))
        await preview.shop.look()
        try await preview.shop.goBack(to: 1)
        #expect(await preview.shop.image("0-icon") == nil)
        await preview.shop.close()
        #expect(server.connectionCount == 0)
    }

    @Test func `a package of the content folder is installed instead of the content at the catalog's address`()
        async throws
    {
        let server = try await LoopbackServer { _ in .reply(404, headers: [:], body: Data()) }
        let folder = try TemporaryFolder()
        try folder.write("the package", to: "Packages/A/Contents/text.txt")
        try folder.write(
            PlistText.document(
                "<dict><key>IAPProductIdentifier</key><string>a</string><key>ContentVersion</key><string>1.0</string></dict>"
            ), to: "Packages/A/ContentInfo.plist")
        try folder.write(PreviewedShop.catalog(PreviewedShop.product("a", addresses(server))), to: "Shop.plist")
        let preview = try await PreviewedShop.open(folder, content: folder["Packages"])
        #expect(try await preview.perform(.buy(product: "a", quantity: 1))?.outcome == .done)
        let card = try #require(try await preview.card("a"))
        #expect(card.content?.installedCount == 1)
        #expect(!card.findings.contains { $0.message.contains("text file") })
        let installed =
            FileManager.default.enumerator(atPath: folder["Preview"].path(percentEncoded: false))?
            .compactMap { ($0 as? String)?.split(separator: "/").last.map(String.init) } ?? []
        #expect(installed.contains("text.txt") && !installed.contains("Preview.txt"))
        await preview.shop.close()
        #expect(server.connectionCount == 0)
    }
}
