import Foundation
import GRDB
import Testing
import VitrineTestSupport

extension ToolPageTests {
    /// Comparison of commands' JSON output with the page.
    final class Comparison {
        let tool: Tool
        private let page: ToolPage
        private(set) var arguments: [[String]] = []

        init(_ tool: Tool) throws {
            self.tool = tool
            page = try ToolPage()
        }

        /// Runs a command, and expects that it succeeds.
        func prepare(_ arguments: String...) throws {
            let result = try tool.run(arguments)
            try #require(result.status == 0, "\(arguments): \(result.errors)")
        }

        /// Runs a command, and expects that each key of its JSON is in a row of the page.
        ///
        /// - Parameter opaque: Keys whose values have another format.
        @discardableResult
        func check(_ row: String, _ arguments: String..., opaque: Set<String> = []) throws -> [String: Any] {
            try check(row, arguments, opaque: opaque)
        }

        @discardableResult
        func check(_ row: String, _ arguments: [String], opaque: Set<String> = []) throws -> [String: Any] {
            let result = try tool.run(arguments + ["--json"])
            let json = try result.json
            #expect(json["error"] == nil, "\(arguments): \(result.errors)")
            let missing = keys(in: json, opaque).subtracting(try page.keys(of: row))
            #expect(missing.isEmpty, "\(arguments): \(missing.sorted())")
            self.arguments.append(arguments)
            return json
        }

        /// Runs a command that prints its JSON in one line and keeps running, ends it, and expects each key in the
        /// page.
        func checkRunning(_ row: String, _ arguments: String...) throws {
            let pipe = Pipe()
            let process = try tool.startShowing(
                arguments + ["--json"], output: pipe.fileHandleForWriting, environment: Tool.withServer)
            let line = try LineReader(pipe.fileHandleForReading).line(with: "{")
            kill(process.processIdentifier, SIGTERM)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(arguments)")
            let missing = try keys(in: JSONSerialization.jsonObject(with: Data(line.utf8)), [])
                .subtracting(page.keys(of: row))
            #expect(missing.isEmpty, "\(arguments): \(missing.sorted())")
            self.arguments.append(arguments)
        }

        private func keys(in value: Any, _ opaque: Set<String>) -> Set<String> {
            switch value {
            case let object as [String: Any]:
                object.reduce(into: Set(object.keys)) { found, member in
                    if !opaque.contains(member.key) { found.formUnion(keys(in: member.value, opaque)) }
                }
            case let array as [Any]: array.reduce(into: []) { $0.formUnion(keys(in: $1, opaque)) }
            default: []
            }
        }
    }

    @Test func `the tool documentation contains each JSON key of each command`() async throws {
        let comparison = try Comparison(Tool.voyager())
        try files(comparison)
        try buying(comparison)
        try decisions(comparison)
        try signedData(comparison)
        try content(comparison)
        try packing(comparison)
        try moving(comparison)
        try waiting(comparison)
        try catalogs(comparison)
        let remote = try await remoteCatalog()
        let club = try subscriptions()

        let compared = comparison.arguments + remote.arguments + club.arguments
        for (name, command) in try ToolDescription.read(comparison.tool).commands {
            #expect(command.arguments?.contains { $0.options == ["--json"] } == true, "\(name)")
            let parts = name.split(separator: " ").map(String.init)
            #expect(compared.contains { $0.starts(with: parts) }, "\(name) is not compared")
        }
    }

    private func files(_ comparison: Comparison) throws {
        let folder = comparison.tool.folder
        try folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><string>yes</string></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/></dict></array>
                """), to: "faulty.plist")
        try folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>hosted</key><true/><key>localContentPath</key><string>a</string>
                <key>contentURL</key><string>https://example.com/a.zip</string><key>contentVersion</key><string>1</string>
                <key>contentDigest</key><string>sha256:\(String(repeating: "0", count: 64))</string>
                <key>contentLength</key><integer>1</integer></dict>
                <dict><key>productIdentifier</key><string>c</string><key>consumable</key><false/>
                <key>maxChildren</key><integer>1</integer>
                <key>childProducts</key><array><string>a</string></array></dict></array>
                """), to: "sold.plist")
        let sample = Repository.sample("Voyager.plist").path()
        try comparison.check("convert", "convert", "faulty.plist", "--to", "binary", "-o", "faulty.bplist")
        try comparison.check("lint", "lint", "faulty.plist", "faulty.bplist", "missing.plist")
        try comparison.check("lint --rule-list", "lint", "--rule-list")
        try comparison.check("lint --explain", "lint", "--explain", "root")
        for file in [sample, "sold.plist"] { try comparison.check("show", "show", file) }
        try comparison.check("diff", "diff", sample, "sold.plist")
        try folder.write("<plist><array><dict><key>productIdentifier</key>", to: "new/broken.plist")
        try folder.write(PlistText.document("<array><string>com.example.a</string></array>"), to: "old/a.plist")
        try comparison.check("diff", "diff", "old", "new")
        try folder.write(PlistText.document("<dict/>"), to: "old/Info.plist")
        try folder.write(PlistText.document("<array/>"), to: "old/Pods/a.plist")
        try folder.write("", to: "old/.git/HEAD")
        try comparison.check("lint", "lint", "old")
        try comparison.check("schema", "schema", opaque: ["$defs", "if", "then", "else"])
        try comparison.check("new", "new", "Made")
        try comparison.check("doctor", "doctor", "--key", "missing.key")
        try comparison.check(
            "init", "init", "--home", "other", "--catalog", sample, "--store",
            Repository.sample("Voyager.storekit").path(), "--content", Repository.samplePackages.path(), "--remote",
            "https://example.com/Voyager.plist", "--original-build", "150", "--original-date", "2019-05-01")
        try comparison.check("init", "init", "--original-build", "150", "--original-date", "2019-05-01")
    }

    private func buying(_ comparison: Comparison) throws {
        try comparison.check("load", "load", "--receipt")
        try comparison.check("load", "load", "--refresh-receipt")
        try comparison.check("buy", "buy", .voyager("coins50"), "--quantity", "2")
        for product in ["iberia", "rome"] { try comparison.check("buy", "buy", .voyager(product)) }
        try comparison.check("buy", "buy", "unknown")
        try comparison.check("unlock", "unlock", .voyager("porto"), "--by", "support")
        for command in ["load", "listing", "owned", "history", "restore", "wallet", "check"] {
            try comparison.check(command, command)
        }
        try comparison.check("spend", "spend", "coins", "10", "--token", "map")
        for product in ["iberia", "madrid", "porto", "vienna", "everything"] {
            try comparison.check("owned ID", "owned", .voyager(product))
            try comparison.check("why", "why", .voyager(product))
        }
        try comparison.check("lock", "lock", .voyager("porto"))
    }

    private func signedData(_ comparison: Comparison) throws {
        let tool = comparison.tool
        try comparison.check("store receipt", "store", "receipt", "-o", "receipt.der")
        try comparison.check("store root", "store", "root")
        let entries = try #require(try tool.run("export").json["entries"] as? [[String: Any]])
        try tool.folder.write(#require(entries.compactMap { $0["signedData"] as? String }.first), to: "token.jws")
        for (command, file) in [("receipt", "receipt.der"), ("jws", "token.jws")] {
            try comparison.check("\(command) show", command, "show", file, opaque: ["payload"])
            try comparison.check("\(command) verify", command, "verify", file)
        }
    }

    private func content(_ comparison: Comparison) throws {
        let tool = comparison.tool
        let rome = String.voyager("rome")
        try comparison.check("content list", "content", "list")
        try comparison.check("content download", "content", "download", rome, .voyager("athens"))
        try comparison.check("content path", "content", "path", rome)
        try comparison.check("content check", "content", "check")
        let folder = URL(filePath: try tool.run("content", "path", rome).lines[0])
        try Data("changed".utf8).write(to: folder.appending(path: "guide.md"))
        try comparison.check("content check", "content", "check")
        try comparison.check("content repair", "content", "repair")
        try comparison.check("content remove", "content", "remove", rome)
        try comparison.check("content resume", "content", "resume", .voyager("athens"))
        try comparison.check("content cancel", "content", "cancel", rome)
    }

    private func packing(_ comparison: Comparison) throws {
        let folder = comparison.tool.folder
        try comparison.prepare("catalog", "keygen", "-o", "content")
        try comparison.check(
            "content pack", "content", "pack", Repository.samplePackages.appending(path: "Rome").path(), "-o", "out",
            "--base-url", "https://example.com", "--key", "content.key")
        let archive = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder["out"].path()).first { $0.hasSuffix(".zip") })
        try comparison.check("content list ARCHIVE", "content", "list", "out/\(archive)")
        try comparison.check("content verify", "content", "verify", "out/\(archive)")
        try comparison.check("content verify", "content", "verify", "faulty.plist")
        try comparison.check("content unpack", "content", "unpack", "out/\(archive)", "-o", "Rome")
        try comparison.check(
            "content new", "content", "new", "Rome/Contents", "--product", "com.example.voyager.rome", "-o", "New")
    }

    private func moving(_ comparison: Comparison) throws {
        try comparison.check("export", "export", opaque: ["entries"])
        try comparison.check("export", "export", "-o", "ledger.json")
        try comparison.check("import", "import", "ledger.json")
        let folder = comparison.tool.folder
        try FileManager.default.createDirectory(at: folder["Shared"], withIntermediateDirectories: true)
        try Data.random(32).write(to: folder["customer.key"])
        try comparison.prepare(
            "init", "--home", "tablet", "--catalog", Repository.sample("Voyager.plist").path(), "--join",
            ".vitrine/Store", "--customer", "default", "--device", "tablet")
        let shared = ["--folder", "Shared", "--key", "customer.key"]
        try comparison.prepare("buy", .voyager("coins50"))
        try comparison.check("signed", "signed")
        try comparison.check("signed", "signed", "--enroll", "a challenge", "--name", "desk")
        try comparison.check("sync", "sync", shared[0], shared[1], shared[2], shared[3])
        try comparison.prepare("sync", "--home", "tablet", shared[0], shared[1], shared[2], shared[3])
        try comparison.prepare("unlock", .voyager("atlantis"), "--home", "tablet")
        try comparison.prepare("sync", "--home", "tablet")
        try comparison.check("sync", "sync")
        for command in ["history", "why"] {
            try comparison.check(command, [command] + (command == "why" ? [.voyager("atlantis")] : []))
        }
        try comparison.check(
            "devices lease", "devices", "lease", "coins", "5", "--token", "trip", "--until", "2090-01-31")
        try comparison.check("devices release", "devices", "release", "trip")
        let devices = try comparison.check("devices list", "devices", "list")["devices"] as? [[String: Any]]
        let tablet = try #require(devices?.first { $0["this"] == nil }?["id"] as? String)
        try comparison.check("devices remove", "devices", "remove", tablet)
        try comparison.check("devices leave", "devices", "leave")
        try comparison.check("devices start-over", "devices", "start-over")
    }

    private func waiting(_ comparison: Comparison) throws {
        let tool = comparison.tool
        try tool.forgetLedger()
        let store = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
        // Signed in the year 2100, when its certificates have ended.
        try store.write {
            try $0.execute(
                sql: """
                    UPDATE purchase SET signedFrom = 4102444800000;
                    INSERT OR IGNORE INTO unfinished SELECT 1, id FROM purchase;
                    """)
        }
        for command in ["pending", "retry", "restore"] { try comparison.check(command, command) }
        try comparison.check("discard", "discard", "1")
        try Data("no ledger".utf8).write(to: tool.home.appending(path: "ledger.sqlite"))
        for command in ["wallet", "owned", "check"] { try comparison.check(command, command) }
        try comparison.check("owned ID", "owned", .voyager("madrid"))
        try comparison.check("settle", "settle")
    }

    private func catalogs(_ comparison: Comparison) throws {
        try comparison.check("catalog keygen", "catalog", "keygen", "-o", "root")
        try comparison.prepare("catalog", "keygen", "-o", "online")
        try comparison.check(
            "catalog keys", "catalog", "keys", "--key", "root.key", "--app", "a", "--version", "1", "--add",
            "online.pub=2100-01-01")
        try comparison.check(
            "catalog sign", "catalog", "sign", "sold.plist", "--key", "online.key", "--app", "a", "--version", "1")
        try comparison.check("catalog verify", "catalog", "verify", "sold.plist", "--root", "root.pub")
        for key in ["online.pub", "root.pub"] {
            try comparison.check("catalog verify", "catalog", "verify", "sold.plist", "--key", key)
        }
    }

    private func remoteCatalog() async throws -> Comparison {
        let comparison = try Comparison(Tool())
        let server = try await CatalogServer(.current)
        try comparison.tool.initializeRemote(server, .current)
        for _ in 0..<2 {
            try comparison.check("catalog status", "catalog", "status")
            try comparison.check("load", "load")
        }
        try comparison.check("catalog delete-cache", "catalog", "delete-cache")
        server.withdraw()
        let local = try comparison.tool.folder.write(PlistText.document("<array/>"), to: "local.plist")
        try comparison.prepare("init", "--catalog", local.path())
        try Data("no property list".utf8).write(to: local)
        try comparison.check("load", "load")
        try comparison.check("catalog status", "catalog", "status")
        return comparison
    }
}
