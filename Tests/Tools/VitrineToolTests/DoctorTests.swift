import Foundation
import Testing
import VitrineTestSupport

/// Diagnosis of homes, catalogs, keys and servers by `doctor`.
@Suite(.blocksThreads, .hangLimit) struct DoctorTests {
    @Test func `vitrine doctor finds no problems in a new storage directory`() throws {
        let result = try Tool.voyager().run("doctor")

        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.last == "nothing is wrong")
        #expect(result.lines.contains("ok     the ledger: 0 entries"))
        #expect(result.lines.contains { $0.hasPrefix("ok     the catalog /") && $0.hasSuffix("products") })
        #expect(result.lines.contains("ok     the simulated store: serves the app com.example.voyager"))
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
        #expect(result.lines.contains { $0.hasPrefix("WRONG  the catalog") && $0.contains("errors") })
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
