import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogContentTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    private func product(_ keys: String) throws -> CatalogProduct {
        let document = try PlistText.read(
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>\(keys)"
                    + "</dict></array>"))
        return try #require(Catalog(document: document).products.first)
    }

    @Test func `the version, addresses, digest and length of hosted content are read from a catalog`() throws {
        let content = try product(
            """
            <key>contentVersion</key><string>2</string>
            <key>contentURL</key><array><string>https://a.example/a.zip</string><string>https://b.example/a.zip</string></array>
            <key>contentDigest</key><string>sha256:\(Self.digest)</string><key>contentLength</key><integer>5</integer>
            """
        ).content

        #expect(content?.version == "2")
        #expect(content?.urls.map(\.absoluteString) == ["https://a.example/a.zip", "https://b.example/a.zip"])
        #expect(content?.digest == Self.digest)
        #expect(content?.length == 5)
    }

    @Test func `content with a manifest address requires no digest, and a product without content keys has no content`()
        throws
    {
        #expect(try product("<key>contentURL</key><string>https://a.example/a.plist</string>").content?.urls.count == 1)
        #expect(try product("").content == nil)
    }

    @Test(arguments: [
        "<key>contentURL</key><string>https://a.example/a.zip</string>",
        "<key>contentURL</key><string>a.plist</string>",
        "<key>contentURL</key><array><string>https://a.example/a.plist</string><string>ftp://a/b.plist</string></array>",
        "<key>contentURL</key><string>https://a.example/a.plist</string><key>contentDigest</key><string>abc</string>",
        "<key>contentURL</key><string>https://a.example/a.plist</string><key>contentLength</key><integer>0</integer>",
    ])
    func `a product with an unusable content address, digest or length has no content addresses`(keys: String) throws {
        #expect(try product(keys).content?.urls == [])
        #expect(try product(keys).content?.digest == nil)
    }
}
