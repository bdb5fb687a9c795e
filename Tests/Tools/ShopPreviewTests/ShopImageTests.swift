import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

struct ShopImageTests {
    private static func png(_ width: UInt32, _ height: UInt32) -> Data {
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        data += Data("IHDR".utf8)
        for number in [width, height] { withUnsafeBytes(of: number.bigEndian) { data += Data($0) } }
        return data + Data([8, 6, 0, 0, 0])
    }

    private func shop(_ name: String, _ data: Data?) async throws -> PreviewedShop {
        let product = PreviewedShop.product("a", "<key>featuredImage</key><string>\(name)</string>")
        return try await PreviewedShop.of(PreviewedShop.product("z") + product) { folder in
            if let data { try folder.write(data, to: name) }
        }
    }

    @Test func `an image file beside the catalog is shown with its media type`() async throws {
        let preview = try await shop("a.png", Self.png(300, 200))
        let page = await preview.page()
        let identifier = try #require(page.cards[1].featuredImage)
        #expect(page.featured.map(\.identifier) == ["a"] && page.cards[1].findings.isEmpty)
        let image = try #require(await preview.shop.image(identifier))
        #expect(image.mediaType == "image/png")
        #expect(image.data == Self.png(300, 200))
        await preview.shop.close()
    }

    @Test(
        arguments: [
            ("missing", "a.png", nil, "is missing"), ("empty", "a.png", Data(), "not a PNG"),
            ("markup", "a.svg", Data("<svg onload='alert(1)'/>".utf8), "not a PNG"),
            ("outside of the folder", "../a.png", nil, "is missing"),
            ("address", "https://images.example/a.png", nil, "is fetched by the app"),
        ] as [(String, String, Data?, String)])
    func `an image that cannot be shown is reported as a diagnostic of its product`(
        id: String, name: String, data: Data?, reason: String
    ) async throws {
        let preview = try await shop(name, data)
        let page = await preview.page()
        #expect(page.cards[1].featuredImage == nil && page.featured.isEmpty)
        #expect(page.cards[1].findings.contains { $0.message.contains(reason) }, "\(page.cards[1].findings)")
        #expect(await preview.shop.image("1-featured") == nil)
        await preview.shop.close()
    }

    @Test func `an image file of more than 4 MiB is reported as a diagnostic of its product`() async throws {
        let preview = try await shop("a.png", Self.png(30, 20) + Data(count: 5 << 20))
        let page = await preview.page()
        #expect(page.cards[1].featuredImage == nil && page.featured.isEmpty)
        #expect(page.cards[1].findings.contains { $0.message.contains("larger than 4 MiB") })
        await preview.shop.close()
    }

    @Test(arguments: ["", "1", "9-icon", "-1-icon", "1-icon-2", "1-other", "٣-icon", "99999999999999999999-icon"])
    func `an unknown image identifier returns no image`(identifier: String) async throws {
        let preview = try await shop("a.png", Self.png(3, 2))
        #expect(await preview.shop.image(identifier) == nil)
        await preview.shop.close()
    }
}
