import Foundation
import Testing
import VitrineTestSupport

/// Ledgers that are moved from one device to another.
@Suite(.blocksThreads, .hangLimit) struct MovingTests {
    private let tool: Tool
    /// Another device with the same store, and an empty ledger.
    private let other: Tool
    /// Key that seals the exported ledger, because a grant has no other proof.
    private let key: URL

    private static let device = ToolTemplate {
        let tool = try Tool.voyager()
        for command in [
            ["buy", .voyager("lisbon")], ["buy", .voyager("coins50"), "--quantity", "3"],
            ["spend", "coins", "30", "--token", "map"], ["buy", .voyager("rome")], ["store", "refund", "3"],
            ["unlock", .voyager("porto"), "--by", "customer support"],
        ] {
            let result = try tool.run(command)
            try #require(result.status == 0, "\(command): \(result.errors)")
        }
        return tool
    }

    private static let otherDevice = ToolTemplate {
        let other = try device.tool()
        try other.replaceLedgerByEmptyOne()
        return other
    }

    init() throws {
        (tool, other) = (try Self.device.tool(), try Self.otherDevice.tool())
        key = try other.folder.write(Data((0..<32).map { UInt8($0) }), to: "seal.key")
    }

    /// Exports the ledger to a file on the other device.
    @discardableResult
    private func export() throws -> URL {
        let file = other.folder["ledger.json"]
        let result = try tool.run("export", "--key", key.path(), "-o", file.path())
        #expect(result.output == "\(file.path()): 8 entries\n")
        return file
    }

    @Test func `an imported ledger gives the same ownership, balances and history on another device`() throws {
        try export()
        let imported = try other.run("import", "--key", "seal.key", "ledger.json")
        #expect(imported.status == 0)
        #expect(imported.output == "ledger.json: 8 entries, 7 of them new\n")

        for command in [["owned"], ["wallet"], ["why", .voyager("rome")]] {
            #expect(try other.run(command).output == tool.run(command).output, "\(command)")
        }
        // What content was installed there does not move with the ledger.
        let here = try tool.run("history", "--json").whatHappened
        #expect(here.count == 8)
        #expect(try other.run("history", "--json").whatHappened == here.filter { !$0.hasPrefix("content ") })
        #expect(try other.run("check").status == 0)
        #expect(try HomeAudit(other.home).violations() == [])
    }

    @Test func `importing the same ledger twice changes nothing`() throws {
        try export()
        try other.run("import", "--key", "seal.key", "ledger.json")
        let before = try other.run("export").output

        let again = try other.run("import", "--key", "seal.key", "ledger.json", "--json")
        #expect(again.status == 0)
        #expect(try again.json["entries"] as? Int == 8)
        #expect(try again.json["new"] as? Int == 0)
        #expect(try other.run("export").output == before)
        #expect(
            try tool.run("import", other.folder["ledger.json"].path()).output.hasSuffix("8 entries, 0 of them new\n"))
    }

    @Test func `importing a ledger skips entries that are already recorded and adds the other entries`() throws {
        try export()
        try other.run("store", "fail", "--clear")
        #expect(try other.run("restore").status == 0)
        #expect(try other.run("owned", .voyager("lisbon")).status == 0)

        #expect(try other.run("import", "--key", "seal.key", "ledger.json").status == 0)
        #expect(try other.run("wallet", "coins").lines.last == "coins   120")
        #expect(try other.run("owned", .voyager("rome")).status == 1)
        #expect(try other.run("check").status == 0)
    }

    @Test func `a lost ledger is restored from its export, even if coins were refunded after the export`() throws {
        try tool.run("buy", .voyager("coins500"))
        let file = other.folder["before.json"]
        #expect(try tool.run("export", "--key", key.path(), "-o", file.path()).status == 0)
        #expect(try tool.run("store", "refund", "4").status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   120")
        for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
            try? FileManager.default.removeItem(at: tool.home.appending(path: name))
        }
        #expect(try tool.run("restore").status == 0)

        #expect(try tool.run("import", "--key", key.path(), file.path()).status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   unknown, at least 120")
        #expect(try tool.run("settle").status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   120")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("check").status == 0)
    }

    @Test func `an exported ledger can be written to standard output and imported afterwards`() throws {
        let exported = try tool.run("export", "--key", key.path())
        #expect(exported.status == 0)
        try other.folder.write(exported.output, to: "ledger.json")
        #expect(try other.run("import", "--key", "seal.key", "ledger.json").status == 0)
    }

    @Test func `importing a ledger of another store is refused`() throws {
        try export()
        let stranger = try Tool.newVoyager()

        let refused = try stranger.run("import", other.folder["ledger.json"].path())
        #expect(refused.status == 1)
        #expect(refused.errors.contains("entry 1 cannot be trusted: "))
        #expect(try stranger.run("history").output == "the ledger is empty\n")
    }

    // MARK: Forgeries

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Number of the entry to change; `nil` to add a changed copy of the first entry.
        var entry: Int? = 1
        let key: String
        let value: String
        let reason: String
    }

    private static let somethingElse = "cannot be trusted: the signed data differs from the entry"

    @Test(
        arguments: [
            Forgery(
                testDescription: "another product", key: "productIdentifier", value: "com.example.voyager.everything",
                reason: somethingElse),
            Forgery(testDescription: "another date", key: "purchaseDate", value: "1", reason: somethingElse),
            Forgery(
                testDescription: "a later signature", key: "signedDate", value: "1990000000000",
                reason: somethingElse),
            Forgery(testDescription: "more of it", entry: 2, key: "quantity", value: "10", reason: somethingElse),
            Forgery(
                testDescription: "shared by the family", key: "isFamilyShared", value: "true", reason: somethingElse),
            Forgery(
                testDescription: "another environment", key: "environment", value: "Production", reason: somethingElse),
            Forgery(
                testDescription: "a refund at another time", entry: 7, key: "revocationDate", value: "1",
                reason: "this version of Vitrine cannot read entry"),
            Forgery(testDescription: "no signature", key: "signedData", value: "", reason: "cannot be trusted: "),
            Forgery(
                testDescription: "another key", key: "key", value: "77",
                reason: "this version of Vitrine cannot read entry"),
            Forgery(
                testDescription: "a kind of its own", key: "kind", value: "miracle",
                reason: "this version of Vitrine cannot read entry"),
            Forgery(
                testDescription: "a credit of nothing", entry: 3, key: "amount", value: "0",
                reason: "the entry credits 0 of \"coins\" for com.example.voyager.coins50, but the loaded catalog "
                    + "credits 150"),
            Forgery(
                testDescription: "more coins", entry: 3, key: "amount", value: "5000000",
                reason: "entry 3 cannot be trusted: the entry credits 5000000 of \"coins\""),
            Forgery(
                testDescription: "coins in another wallet", entry: 3, key: "wallet", value: "gems",
                reason: "the entry credits 150 of \"gems\""),
            Forgery(
                testDescription: "coins of another product", entry: 3, key: "productIdentifier",
                value: "com.example.voyager.coins500", reason: "for com.example.voyager.coins500, but"),
            Forgery(
                testDescription: "coins that a refund leaves", entry: 3, key: "refundPolicy", value: "ignore",
                reason: "the refund policy of the credit is ignore, but that of the wallet in the loaded catalog is "
                    + "clawback"),
            Forgery(
                testDescription: "a guide with everything", key: "contents", value: "com.example.voyager.everything",
                reason: "no loaded catalog confirms that com.example.voyager.lisbon contains "
                    + "com.example.voyager.everything"
            ),
            Forgery(
                testDescription: "spending more than there is", entry: 4, key: "amount", value: "151",
                reason: "has a balance of 150"),
        ]
    )
    func `importing a ledger with a forged entry is refused, and no entry is recorded`(forgery: Forgery) throws {
        let file = try export()
        var document = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        var entries = try #require(document["entries"] as? [[String: Any]])
        // The grant, which would be refused without its seal.
        entries.removeLast()
        let index = (forgery.entry ?? 1) - 1
        entries[index][forgery.key] = Int(forgery.value) ?? Bool(forgery.value) ?? forgery.value
        if forgery.key == "key" { entries[index]["key"] = forgery.value }
        document["entries"] = entries
        try JSONSerialization.data(withJSONObject: document).write(to: file)

        let refused = try other.run("import", "ledger.json")
        #expect([1, 65].contains(refused.status))
        #expect(refused.errors.contains(forgery.reason), "\(refused.errors)")
        #expect(try other.run("history").output == "the ledger is empty\n")
    }

    @Test(
        arguments: [
            ("", "the document is not a ledger in JSON"), ("{", "the document is not a ledger in JSON"),
            ("[]", "the document is not a ledger in JSON"),
            ("null", "the document is not a ledger in JSON"),
            (#"{"format": "vitrine-ledger"}"#, "the document is not a ledger in JSON"),
            (
                #"{"format": "other", "version": 1, "entries": []}"#,
                "the document is not a ledger of format vitrine-ledger, version 1"
            ),
            (
                #"{"format": "vitrine-ledger", "version": 2, "entries": []}"#,
                "the document is not a ledger of format vitrine-ledger, version 1"
            ),
            (#"{"format": "vitrine-ledger", "version": 1, "entries": [{}]}"#, "the document is not a ledger in JSON"),
            (
                #"{"format": "vitrine-ledger", "version": 1, "entries": [{"kind": "debit", "key": "a", "recordedAt": 1e400}]}"#,
                "the document is not a ledger in JSON"
            ),
            (
                #"{"format": "vitrine-ledger", "version": 1, "entries": [{"kind": "debit", "key": "a", "recordedAt": 0}]}"#,
                "this version of Vitrine cannot read entry"
            ),
            (String(repeating: "[", count: 100_000), "the document is not a ledger in JSON"),
        ]
    )
    func `importing a document that is not an exported ledger is refused`(text: String, reason: String) throws {
        try other.folder.write(text, to: "ledger.json")

        let refused = try other.run("import", "ledger.json")
        #expect(refused.status == 65)
        #expect(refused.errors.contains(reason), "\(refused.errors.prefix(400))")
    }

    @Test func `importing a truncated ledger is refused`() throws {
        let file = try export()
        let whole = try Data(contentsOf: file)
        for length in stride(from: 0, to: whole.count - 1, by: whole.count / 7) {
            try whole.prefix(length).write(to: file)
            #expect(try other.run("import", "ledger.json").status == 65, "\(length)")
        }
        #expect(try other.run("history").output == "the ledger is empty\n")
    }

    @Test func `vitrine export replaces an existing file only with --force`() throws {
        let file = try tool.folder.write("mine", to: "ledger.json")
        for options in [[], ["--json"]] {
            let refused = try tool.run(["export", "-o", "ledger.json"] + options)
            #expect(refused.status == 1)
            #expect(refused.errors.hasSuffix("ledger.json already exists and is not replaced without --force\n"))
            #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
        }
        #expect(try tool.run("export", "-o", "ledger.json", "--force").status == 0)
        #expect(try other.run("import", "--key", "seal.key", file.path()).status == 1)
        #expect(try tool.run("export", "-o", "/dev/null").status == 0)
    }

    @Test(arguments: ["ledger.sqlite", "ledger.setting-aside.json", "Cache/new.json", "link"])
    func `vitrine export refuses to write into the storage directory, also through symbolic links`(name: String) throws
    {
        try FileManager.default.createDirectory(
            at: tool.home.appending(path: "Cache"), withIntermediateDirectories: true)
        let file: String
        if name == "link" {
            let link = tool.folder["link.json"]
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: tool.home.appending(path: "vitrine.json"))
            file = link.path()
        } else {
            try FileManager.default.createSymbolicLink(
                at: tool.folder["home"], withDestinationURL: tool.home)
            file = "home/\(name)"
        }
        let before = try tool.files().keys.sorted()

        let refused = try tool.run("export", "-o", file, "--force")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("\(file): the document must not be in the home"))
        #expect(try tool.files().keys.sorted() == before)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   120")
    }

    @Test func `importing a missing file fails, and exporting into a missing folder fails`() throws {
        #expect(try other.run("import", "ledger.json").status == 66)
        #expect(try other.run("import").status == 64)
        #expect(try tool.run("export", "-o", "no/such/folder.json").status == 74)
    }
}

extension Tool.Result {
    /// Kind and description of each entry in a history.
    fileprivate var whatHappened: [String] {
        get throws {
            try #require(try json["entries"] as? [[String: Any]]).map { entry in
                "\(entry["kind"] as? String ?? "") \(entry["what"] as? String ?? "")"
            }
        }
    }
}
