import Foundation
import Testing
import VitrineShopPreview
import VitrineSupport
import VitrineTestSupport

@testable import VitrinePreviewServer

/// Export of scenes as pages and pictures.
@Suite(.blocksThreads) struct SceneExportTests {
    /// Returns a shop with two scenes, whose state is that of the second one.
    private func shop(in folder: TemporaryFolder) async throws -> PreviewShop {
        let shop = try await ServedPreview.shop(in: folder)
        try await shop.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        try await shop.save(scene: "Owns Lisbon", view: PreviewView(device: .phone, scheme: .dark))
        try await shop.goBack(to: 0)
        try await shop.save(scene: "日本で", view: PreviewView(language: "de", storefront: "JPN", device: .tablet))
        return shop
    }

    @Test func `each preview scene is exported as a page without scripts and forms, and an index links to all pages`()
        async throws
    {
        let folder = try TemporaryFolder()
        let shop = try await shop(in: folder)
        let pages = try await SceneExport(of: shop, to: folder["Scenes"]).write()
        await shop.close()
        #expect(pages.map(\.name) == ["Owns Lisbon", "日本で"])
        #expect(pages.map(\.file.lastPathComponent) == ["owns-lisbon.html", "scene.html"])
        let text = try String(contentsOf: pages[0].file, encoding: .utf8)
        #expect(text.contains("<article class=\"card owned\" id=\"p0\""))
        #expect(text.contains("bought on"))
        #expect(!text.contains("<script") && !text.contains("<form") && !text.contains("<button"))
        #expect(try String(contentsOf: pages[1].file, encoding: .utf8).contains("Lissabon"))
        let list = try String(contentsOf: folder["Scenes/index.html"], encoding: .utf8)
        #expect(list.contains("href=\"owns-lisbon.html\"") && list.contains("href=\"scene.html\""))
        let thumbnails = list.matches(of: /<img src="data:image\/svg\+xml;base64,([^"]+)" alt="" width="240"/)
            .compactMap { Data(base64Encoded: String($0.1)) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(thumbnails.count == 2)
        #expect(thumbnails[0].contains(">✓ Purchased</text>") && thumbnails[0].contains("fill=\"#1c2126\""))
        #expect(!thumbnails[1].contains("✓") && thumbnails[1].contains("¥</text>"))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder["Scenes"].path(percentEncoded: false))
        #expect(files.sorted() == ["index.html", "owns-lisbon.html", "scene.html"])
        for file in files {
            let page = try String(contentsOf: folder["Scenes/\(file)"], encoding: .utf8)
            let addresses = page.matches(of: /(?:src|href)="([^"]*)"/).map { String($0.1) }
            #expect(!addresses.isEmpty)
            let others = addresses.filter { !$0.hasPrefix("data:image/") && !$0.hasPrefix("#") && !files.contains($0) }
            #expect(others == [], "\(file)")
            #expect(page.contains("<style>:root") && page.contains("default-src 'none'; img-src data:;"), "\(file)")
        }
    }

    @Test func `exported preview scenes contain warnings of the catalog unless these are hidden`() async throws {
        let folder = try TemporaryFolder()
        let catalog = PlistText.document(
            """
            <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
            <key>colour</key><string>red</string></dict>
            <dict><key>productIdentifier</key><string>b</string><key>consumable</key><string>no</string></dict></array>
            """)
        let shop = try await ServedPreview.shop(in: folder, catalog: catalog)
        for (name, hides) in [("A", false), ("B", true)] {
            let pages = try await SceneExport(of: shop, to: folder[name], hidesWarnings: hides).write()
            let page = try String(contentsOf: try #require(pages.first).file, encoding: .utf8)
            #expect(page.contains("<strong>Warning</strong>") != hides)
            #expect(page.contains("<strong>Error</strong>"))
            #expect(page.contains("<article class=\"card dropped\">"))
        }
        await shop.close()
    }

    @Test func `exporting the same preview scenes twice writes identical HTML pages`() async throws {
        let folder = try TemporaryFolder()
        let shop = try await shop(in: folder)
        for name in ["A", "B"] { _ = try await SceneExport(of: shop, to: folder[name]).write() }
        await shop.close()
        for file in ["index.html", "owns-lisbon.html", "scene.html"] {
            #expect(try Data(contentsOf: folder["A/\(file)"]) == Data(contentsOf: folder["B/\(file)"]))
        }
    }

    @Test func `a preview without saved scenes is exported as one page`() async throws {
        let folder = try TemporaryFolder()
        let shop = try await ServedPreview.shop(in: folder)
        let pages = try await SceneExport(of: shop, to: folder["Scenes"]).write()
        await shop.close()
        #expect(pages.map(\.file.lastPathComponent) == ["shop.html"])
    }

    @Test func `an unusable file of scenes is not exported`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"<plist version="1.0"><string>x</string></plist>"#, to: "Voyager.scenes.plist")
        let shop = try await ServedPreview.shop(in: folder)
        let error = await #expect(throws: PreviewError.self) {
            try await SceneExport(of: shop, to: folder["Scenes"]).write()
        }
        await shop.close()
        #expect(error?.code == .unusableData)
        #expect(!FileManager.default.fileExists(atPath: folder["Scenes"].path()))
    }

    @Test func `exported preview scenes have distinct and safe file names`() {
        #expect(
            SceneExport.fileNames([
                "index", "../../etc", "A b", "a-b", "日本", "", "😀", String(repeating: "x", count: 100),
            ])
                == [
                    "index-2.html", "etc.html", "a-b.html", "a-b-2.html", "scene.html", "scene-2.html", "scene-3.html",
                    String(repeating: "x", count: 60) + ".html",
                ])
    }

    @Test func `the export error for a path that cannot be written contains the path`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "Scenes")
        let shop = try await ServedPreview.shop(in: folder)
        let error = await #expect(throws: PreviewError.self) {
            try await SceneExport(of: shop, to: folder["Scenes"]).write()
        }
        await shop.close()
        #expect(error?.code == .storage)
        #expect(error?.reason.contains("Scenes") == true)
    }

    @Test func `the error for pictures without Chromium explains what to install`() throws {
        let error = #expect(throws: PreviewError.self) { try ScenePictures(environment: ["PATH": "/nowhere"]) }
        #expect(error?.reason.contains("apt-get install chromium") == true)
    }

    @Test(.enabled(if: PreviewPeer.isInstalled, PreviewPeer.missing), .hangLimit)
    func `each exported scene has a reproducible picture, and its page passes the accessibility checks of axe`()
        async throws
    {
        let folder = try TemporaryFolder()
        let shop = try await shop(in: folder)
        let pages = try await SceneExport(of: shop, to: folder["Scenes"]).write()
        await shop.close()
        let pictures = try ScenePictures()
        let files = try pictures.make(of: pages, to: folder["Pictures"])
        #expect(files.map(\.lastPathComponent) == ["owns-lisbon.png", "scene.png"])
        let again = try pictures.make(of: pages, to: folder["Again"])
        for (first, second) in zip(files, again) {
            let data = try Data(contentsOf: first)
            #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(data.count > 20_000)
            #expect(try data == Data(contentsOf: second))
        }
        let paths = (pages.map(\.file) + [folder["Scenes/index.html"]]).map { $0.path(percentEncoded: false) }
        try await PreviewPeer.expect("pages", .init(files: paths))
    }
}
