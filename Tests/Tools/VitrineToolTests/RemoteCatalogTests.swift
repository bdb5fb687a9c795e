import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct RemoteCatalogTests {
    private let tool: Tool
    private let publisher: CatalogPublisher
    private let server: CatalogServer

    /// Creates a home with the address of a server for signed catalogs, which has not been contacted yet.
    init() async throws {
        tool = try Tool()
        publisher = .current
        server = try await CatalogServer(publisher)
        try tool.initializeRemote(server, publisher)
    }

    private func status() throws -> [String: Any] { try tool.run("catalog", "status", "--json").json }

    @Test func `the catalog on the server takes precedence over the local catalog and is cached for later loads`()
        throws
    {
        #expect(try tool.run("load").lines[1] == "1 list loaded: 2 products")
        #expect(try tool.run("load").status == 0)

        #expect(server.requests == 1)
        let status = try status()
        #expect(status["used"] as? String == "cache")
        #expect(status["isFresh"] as? Bool == true)
        #expect(status["version"] as? Int == 12)
        #expect(status["signature"] as? String == "valid")
    }

    @Test func `vitrine catalog delete-cache sends no request, and the next load fetches the catalog again`() throws {
        try tool.run("load")
        try tool.run("load")
        #expect(server.requests == 1)

        #expect(try tool.run("catalog", "delete-cache").output == "the downloaded catalog is deleted\n")
        let again = try tool.run("catalog", "delete-cache", "--json")
        #expect(again.status == 0)
        #expect(try again.json["deleted"] as? Bool == false)
        #expect(server.requests == 1)
        #expect(try status()["used"] as? String == "local")

        #expect(try tool.run("load").lines[1] == "1 list loaded: 2 products")
        #expect(server.requests == 2)
        #expect(try status()["used"] as? String == "cache")
    }

    @Test func `vitrine catalog delete-cache reports that no downloaded catalog exists if no server is set`() throws {
        let local = try Tool.voyager()
        #expect(try local.run("catalog", "delete-cache").output == "the home has no downloaded catalog\n")
        #expect(try local.run("load").status == 0)
        #expect(try Tool().run("catalog", "delete-cache").status == 66)
    }

    @Test func `the local catalog is used if the server fails and no cached catalog exists`() throws {
        server.withdraw()
        let load = try tool.run("load")

        #expect(load.status == 0)
        #expect(load.lines[1] == "1 list loaded: 4 products")
        #expect(load.errors.contains("the server answered with the status 404"))
        let status = try status()
        #expect(status["used"] as? String == "local")
        #expect((status["lastFailure"] as? [String: Any])?["code"] as? String == "status")
    }

    @Test func `the last valid cached catalog is used if the server fails, and catalog status shows the reason`() throws
    {
        try tool.run("load")
        server.withdraw()
        try tool.run(
            "init", "--remote", server.url.absoluteString, "--root", publisher.root.publicKey.line, "--cache-days", "0")

        #expect(try tool.run("load").lines[1] == "1 list loaded: 2 products")
        let lines = try tool.run("catalog", "status").lines
        #expect(lines.contains { $0.hasPrefix("used") && $0.hasSuffix("cache, stale") })
        #expect(
            lines.contains {
                $0.hasPrefix("last attempt") && $0.hasSuffix("the server answered with the status 404 [status]")
            })
    }

    @Test func `vitrine catalog status reports that no catalog is available and sends no request`() throws {
        let bare = try Tool()
        let store = Repository.sample("Voyager.storekit").path()
        #expect(try bare.run("init", "--remote", server.url.absoluteString, "--store", store).status == 0)
        let status = try bare.run("catalog", "status")

        #expect(status.status == 1)
        #expect(status.lines.contains { $0.hasPrefix("used") && $0.hasSuffix("none") })
        #expect(server.requests == 0)
    }

    @Test(arguments: [true, false])
    func `vitrine catalog status reports an invalid local property list with the reason`(isServerKnown: Bool) throws {
        let tool = try Tool.voyager()
        let plist = "<plist><array><string>com.example.voyager.rome</string></array></plist>"
        try tool.run("init", "--catalog", tool.folder.write(plist, to: "Shop.plist").path())
        if isServerKnown { try tool.run("init", "--remote", server.url.absoluteString) }
        #expect(try tool.run("catalog", "status").status == 0)
        _ = try tool.folder.write(String(plist.dropLast(20)), to: "Shop.plist")
        let status = try tool.run("catalog", "status")

        #expect(status.status == 1)
        #expect(
            status.lines.contains {
                $0.hasPrefix("local") && $0.contains("Shop.plist: ") && $0.hasSuffix("[not-a-property-list]")
            })
    }

    @Test func `a catalog that is signed for another app is refused, and the local catalog is used`() throws {
        try server.publish(publisher.changed { $0.app = "com.example.other" })
        let load = try tool.run("load")

        #expect(load.lines[1] == "1 list loaded: 4 products")
        #expect(load.errors.contains("com.example.other"))
    }

    @Test func `ten concurrent processes can load a catalog into one storage directory`() throws {
        try tool.run("load")
        let cache = tool.home.appending(path: "Cache")
        for round in 0..<50 {
            try FileManager.default.removeItem(at: cache)
            let running = try (0..<10).map { _ in try tool.start(["load"]) }
            for (process, output, errors) in running {
                process.waitUntilExit()
                #expect(process.terminationStatus == 0, "round \(round)")
                #expect(try String(contentsOf: errors, encoding: .utf8) == "", "round \(round)")
                #expect(try String(contentsOf: output, encoding: .utf8).contains("1 list loaded: 2 products"))
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: cache.path()).sorted()
                    == ["Attempt.json", "CACHEDIR.TAG", "Catalog.cache"], "round \(round)")
            let status = try status()
            #expect(status["used"] as? String == "cache")
            #expect(status["signature"] as? String == "valid")
        }
    }

    @Test func `vitrine load --watch prints the time of the next attempt and runs until it is interrupted`()
        async throws
    {
        server.withdraw()
        let (process, lines) = try tool.startReading("load", "--watch")
        try lines.wait(for: "2 products loaded")
        try lines.wait(for: "next load at")
        #expect(try status()["nextAttempt"] != nil)
        process.interrupt()
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(try status()["nextAttempt"] == nil)
    }

    @Test func `vitrine init changes only the given server settings, and disables signatures only on request`() throws {
        let other = "https://example.com/Shop.plist"
        func signatures(_ arguments: String...) throws -> String? {
            try tool.run(["init", "--json"] + arguments).json["signatures"] as? String
        }

        #expect(try signatures("--remote", other) == "enforce")
        #expect(try signatures("--cache-days", "3") == "enforce")
        #expect(try signatures("--signatures", "report") == "report")
        #expect(try signatures("--signatures", "off") == "off")
        #expect(try tool.run("init", "--signatures", "enforce").errors.contains("--root"))
        #expect(try tool.run("catalog", "status").lines.contains { $0.hasPrefix("remote") && $0.hasSuffix(other) })
    }

    @Test func `vitrine init refuses cache options if no remote catalog is set`() throws {
        let local = try Tool.voyager()

        #expect(try local.run("init", "--cache-days", "1").status == 64)
    }

    @Test(arguments: [
        (["--remote", "ftp://example.com/a.plist"], "https://"),
        (["--remote", "http://example.com/a.plist"], "use https"),
        (["--remote", "https://example.com/a.plist", "--signatures", "off", "--channel", "beta"], "--channel"),
        (["--remote", "https://example.com/a.plist", "--cache-days", "4000"], "0 to 3650"),
    ])
    func `vitrine init refuses invalid remote catalog options`(_ arguments: [String], _ word: String) throws {
        let result = try tool.run(["init"] + arguments)

        #expect(result.status == 64)
        #expect(result.errors.contains(word))
    }
}

extension CatalogPublisher {
    /// Publisher of a catalog with two of the sample's products for the app of a new home, issued now.
    static var current: CatalogPublisher {
        var publisher = CatalogPublisher(
            catalog: PlistText.document(
                """
                <array><string>com.example.voyager.lisbon</string><string>com.example.voyager.porto</string></array>
                """))
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        publisher.app = "com.example.app"
        publisher.issued = now
        publisher.expires = now + 7 * 86_400
        publisher.keysIssued = now
        publisher.keysExpires = now + 30 * 86_400
        publisher.keys = CatalogKeys(
            keys: [CatalogKeys.Key(publicKey: publisher.signer.publicKey, expires: now + 30 * 86_400)], revoked: [],
            epoch: 1)
        return publisher
    }
}

extension Tool {
    /// Sets up a home that trusts a publisher, and asks its server at each load.
    func initializeRemote(_ server: CatalogServer, _ publisher: CatalogPublisher, cacheDays: Int = 1) throws {
        let result = try run(
            "init", "--catalog", Repository.sample("ProductIDs.plist").path(), "--remote", server.url.absoluteString,
            "--root", publisher.root.publicKey.line, "--cache-days", "\(cacheDays)", "--store",
            Repository.sample("Voyager.storekit").path())
        #expect(result.status == 0, "\(result.errors)")
    }
}
