import Foundation
import Testing
import VitrineTestSupport

/// Diagnosis of homes, catalogs, keys and servers by `doctor`.
@Suite(.blocksThreads, .hangLimit) struct DoctorTests {
    @Test func `vitrine doctor finds no problems in a new storage directory`() throws {
        let tool = try Tool.voyager()
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let unsold = "\t<dict>\n\t\t<key>productIdentifier</key>\n\t\t<string>com.example.voyager.atlantis"
        let end = try #require(text.range(of: unsold))
        try tool.folder.write(text[..<end.lowerBound] + "</array>\n</plist>\n", to: "Shop.plist")
        #expect(try tool.run("init", "--catalog", "Shop.plist").status == 0)
        let result = try tool.run("doctor")

        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.last == "nothing is wrong")
        #expect(result.lines.contains("ok     the products: 11 products in the store"))
        #expect(result.lines.contains("ok     the ledger: 0 entries"))
        #expect(result.lines.contains { $0.hasPrefix("ok     the catalog /") && $0.hasSuffix("products") })
        #expect(result.lines.contains("ok     the simulated store: serves the app com.example.voyager"))
    }

    @Test func `vitrine doctor names products that the store never sells or whose content has no package`() throws {
        let tool = try Tool.voyager()
        let sample = try tool.run("doctor")
        #expect(sample.status == 1)
        #expect(
            sample.lines.contains(
                "WRONG  the products: never sold: com.example.voyager.atlantis is unknown to the store"))

        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>com.example.voyager.coins50</string>
                <key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>com.example.voyager.lisbon</string><key>consumable</key><false/>
                <key>hosted</key><true/><key>localContentPath</key><string>guides/lisbon</string></dict></array>
                """), to: "Shop.plist")
        #expect(try tool.run("init", "--catalog", "Shop.plist").status == 0)
        let result = try tool.run("doctor")
        #expect(
            result.lines.contains(
                "WRONG  the products: never sold: com.example.voyager.coins50 is consumable in the store and "
                    + "nonConsumable in the catalog"))
        #expect(
            result.lines.contains {
                $0.hasSuffix(
                    "no package for com.example.voyager.lisbon; products without their content are not sold")
            })
    }

    @Test func `vitrine doctor reports a non-renewing subscription without a duration`() throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>year</string>
                <key>type</key><string>nonRenewingSubscription</string></dict></array>
                """), to: "Shop.plist")
        let result = try tool.run("doctor", "--catalog", "Shop.plist")

        #expect(result.status == 1)
        #expect(
            result.lines.first
                == "WRONG  the catalog Shop.plist: no subscriptionDuration of year, which is therefore not sold")
    }

    @Test func `vitrine doctor --images fetches each image of a catalog once, and reports its status, type and size`()
        async throws
    {
        let tool = try Tool()
        // The first bytes of a PNG.
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        let server = try await LoopbackServer { request in
            switch request.path {
            case "/a.png": .reply(headers: ["Content-Type": "image/png"], body: image)
            case "/b.png": .reply(headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
            default: .reply(404)
            }
        }
        let products = ["a.png", "b.png", "c.png", "a.png"].enumerated().map { index, name in
            """
            <dict><key>productIdentifier</key><string>p\(index)</string><key>consumable</key><false/>
            <key>productIcon</key><string>\(server.url)\(name)</string>
            <key>featuredImage</key><string>local.png</string></dict>
            """
        }
        try tool.folder.write(PlistText.document("<array>\(products.joined())</array>"), to: "Shop.plist")
        let offline = try tool.run("doctor", "--catalog", "Shop.plist", "--images", "--offline")
        #expect(offline.lines.contains("?      the images: not asked for, because of --offline"))
        #expect(server.requests.isEmpty)

        let result = try tool.run("doctor", "--catalog", "Shop.plist", "--images")
        #expect(result.status == 1)
        #expect(
            result.lines.filter { $0.contains("the image ") } == [
                "ok     the image \(server.url)a.png: status 200, image/png, 12 bytes, png",
                "WRONG  the image \(server.url)b.png: status 200, text/html, 6 bytes: "
                    + "the file is not a PNG, JPEG, GIF, WebP or HEIF image",
                "WRONG  the image \(server.url)c.png: the server answered with the status 404",
            ])
        #expect(server.requests.map(\.path).sorted() == ["/a.png", "/b.png", "/c.png"])
    }

    @Test func `vitrine doctor names the command that creates a missing storage directory`() throws {
        let result = try Tool().run("doctor")

        #expect(result.status == 1)
        #expect(result.lines.first == "WRONG  the home .vitrine: there is none")
        #expect(result.lines[1].hasPrefix("       try: vitrine init "))
    }

    @Test func `vitrine doctor names missing or damaged parts of a storage directory and how to fix them`() throws {
        let tool = try Tool.voyager()
        try tool.folder.write("{", to: ".vitrine/vitrine.json")
        let settings = try tool.run("doctor")
        #expect(settings.status == 1)
        #expect(settings.lines.first?.contains("is not a vitrine settings file") == true)

        let other = try Tool.voyager()
        try other.folder.write(PlistText.document("<array><dict/></array>"), to: "Shop.plist")
        try other.run("init", "--catalog", "Shop.plist")
        try FileManager.default.removeItem(at: other.home.appending(path: "Store"))
        let result = try other.run("doctor")
        #expect(result.status == 1)
        #expect(result.lines.contains { $0.hasPrefix("WRONG  the catalog") && $0.contains("and no product is sold: ") })
        #expect(result.lines.contains { $0.hasPrefix("WRONG  the simulated store: ") })
        #expect(result.lines.contains("       try: vitrine init --store FILE.storekit"))
    }

    @Test func `vitrine doctor reports a private key that other users can read`() throws {
        let tool = try Tool()
        try tool.run("catalog", "keygen", "-o", "root")
        #expect(try tool.run("doctor", "--key", "root.key", "--key", "root.pub").status == 0)

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: tool.folder["root.key"].path())
        let result = try tool.run("doctor", "--key", "root.key", "--key", "none.pub", "--json")
        #expect(result.status == 1)
        let results = try #require(try result.json["results"] as? [[String: String]])
        #expect(results.map { $0["state"] } == ["wrong", "wrong"])
        #expect(results.map { $0["advice"] } == ["chmod 600 root.key", "vitrine catalog keygen -o NAME"])
    }

    @Test func `vitrine doctor queries the catalog server and reports its answer`() async throws {
        let (tool, publisher) = (try Tool(), CatalogPublisher.current)
        let server = try await CatalogServer(publisher)
        try tool.initializeRemote(server, publisher)
        let good = try tool.run("doctor")
        #expect(good.status == 0, "\(good.output)")
        #expect(good.lines.contains("ok     the catalog at \(server.url): 2 products, signature valid"))

        server.withdraw()
        let bad = try tool.run("doctor")
        #expect(bad.status == 1)
        #expect(bad.lines.contains { $0.hasPrefix("WRONG  the catalog at \(server.url): ") })
        try tool.run("init", "--remote", "http://127.0.0.1:1/Shop.plist")
        let unreachable = try tool.run("doctor")
        #expect(unreachable.status == 2, "\(unreachable.output)")
        let offline = try tool.run("doctor", "--offline")
        #expect(offline.status == 2)
        #expect(offline.lines.contains("?      the catalog's server: not asked, because of --offline"))
    }
}
