import Foundation
import Testing
import VitrineTestSupport

/// Exported ledgers with entries whose only proof is a seal.
@Suite(.blocksThreads, .hangLimit) struct SealedMovingTests {
    private let tool: Tool
    /// Another device with the same store, and an empty ledger.
    private let other: Tool
    private let document: URL

    init() throws {
        tool = try Tool.voyager()
        for command in [
            ["buy", .voyager("coins50")], ["spend", "coins", "30", "--token", "map"], ["unlock", .voyager("porto")],
        ] {
            let result = try tool.run(command)
            try #require(result.status == 0, "\(command): \(result.errors)")
        }
        other = try Tool()
        try FileManager.default.copyItem(at: tool.home, to: other.home)
        try other.replaceLedgerByEmptyOne()
        document = other.folder["ledger.json"]
        try other.folder.write(Self.material(32), to: "seal.key")
    }

    private static func material(_ count: Int, from first: UInt8 = 1) -> Data {
        Data((0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) })
    }

    private func export(sealed: Bool = true) throws {
        let key = sealed ? ["--key", other.folder["seal.key"].path()] : []
        let result = try tool.run(["export"] + key + ["-o", document.path(), "--force"])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Changes only the entries of the document.
    private func change(_ body: (inout [[String: Any]]) throws -> Void) throws {
        var object = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: document)) as? [String: Any])
        var entries = try #require(object["entries"] as? [[String: Any]])
        try body(&entries)
        object["entries"] = entries
        try JSONSerialization.data(withJSONObject: object).write(to: document)
    }

    private func expectRefused(_ arguments: [String], status: Int32 = 1, _ reason: String) throws {
        let refused = try other.run(["import"] + arguments)
        #expect(refused.status == status, "\(refused.output)\(refused.errors)")
        #expect(refused.errors.contains(reason), "\(refused.errors)")
        #expect(try other.run("history").output == "the ledger is empty\n")
    }

    @Test func `a grant is imported only from a sealed ledger and with the key of the seal`() throws {
        try export(sealed: false)
        try expectRefused(["ledger.json"], "entry 4 cannot be trusted: the store does not sign grants")
        // The key does not help a document that has no seal.
        try expectRefused(["--key", "seal.key", "ledger.json"], "entry 4 cannot be trusted")

        try export()
        try expectRefused(["ledger.json"], "entry 4 cannot be trusted")
        #expect(try other.run("import", "--key", "seal.key", "ledger.json").status == 0)
        #expect(try other.run("owned", .voyager("porto")).status == 0)
        #expect(try other.run("wallet", "coins").lines.last == "coins   20")
        #expect(
            try other.run("import", "--key", "seal.key", "ledger.json").output
                == "ledger.json: 4 entries, 0 of them new\n")
    }

    @Test func `reformatting the JSON of a sealed ledger does not invalidate its seal`() throws {
        try export()
        try change { _ in }
        #expect(try other.run("import", "--key", "seal.key", "ledger.json").status == 0)
    }

    @Test func `any change to the entries of a sealed ledger invalidates its seal`() throws {
        try export()
        let sealed = try Data(contentsOf: document)
        let changes: [(String, (inout [[String: Any]]) -> Void)] = [
            ("a larger credit", { $0[1]["amount"] = 5_000_000 }),
            ("a smaller debit", { $0[2]["amount"] = 29 }),
            ("another grant", { $0[3]["productIdentifier"] = String.voyager("everything") }),
            ("another reason", { $0[3]["reason"] = "unlocked by the App" }),
            ("another date", { $0[3]["recordedAt"] = 1 }),
            ("no debit", { $0.remove(at: 2) }),
            ("no grant", { $0.removeLast() }),
            ("two exchanged", { $0.swapAt(2, 3) }),
            ("one twice", { $0.append($0[3]) }),
            ("nothing left", { $0.removeAll() }),
        ]
        for (name, body) in changes {
            try sealed.write(to: document)
            try change { body(&$0) }
            let refused = try other.run("import", "--key", "seal.key", "ledger.json")
            #expect(refused.status == 1, "\(name)")
            #expect(refused.errors.contains("the document's seal does not match"), "\(name): \(refused.errors)")
        }
        #expect(try other.run("history").output == "the ledger is empty\n")
    }

    @Test func `importing a ledger with an invalid seal or a seal of another key is refused`() throws {
        try export()
        try other.folder.write(Self.material(32, from: 2), to: "other.key")
        try expectRefused(["--key", "other.key", "ledger.json"], "the document's seal does not match")
        for seal in ["", "AAAA", "no seal"] {
            var object = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: document)) as? [String: Any])
            object["seal"] = seal
            try JSONSerialization.data(withJSONObject: object).write(to: document)
            try expectRefused(["--key", "seal.key", "ledger.json"], "the document's seal does not match")
        }
    }

    @Test(arguments: [(0, 65), (31, 65), (32, 0), (4096, 0), (4097, 65)])
    func `the key of a seal must have 32 to 4096 bytes`(count: Int, status: Int32) throws {
        try other.folder.write(Self.material(count), to: "some.key")
        let key = other.folder["some.key"].path()
        #expect(try tool.run("export", "--key", key, "-o", document.path()).status == status)
        if status == 0 {
            #expect(try other.run("import", "--key", "some.key", "ledger.json").status == 0)
        } else {
            try export()
            try expectRefused(["--key", "some.key", "ledger.json"], status: 65, "the key of the seal has ")
        }
    }

    @Test func `the key of a seal is refused if it is in the storage directory or is the document itself`() throws {
        try export()
        let manager = FileManager.default
        try Self.material(32).write(to: other.home.appending(path: "seal.key"))
        try manager.createSymbolicLink(
            at: other.folder["link.key"], withDestinationURL: other.home.appending(path: "seal.key"))
        try manager.createSymbolicLink(at: other.folder["folder"], withDestinationURL: other.home)
        try manager.createSymbolicLink(
            at: other.folder["store"], withDestinationURL: other.home.appending(path: "Store"))
        for path in [".vitrine/seal.key", "link.key", "folder/seal.key", "store/../seal.key"] {
            try expectRefused(
                ["--key", path, "ledger.json"], status: 64, "\(path): the key of the seal must not be in the home")
            #expect(try other.run("export", "--key", path).status == 64)
        }
        try manager.createSymbolicLink(at: other.folder["other.json"], withDestinationURL: document)
        for path in ["ledger.json", "./ledger.json", "other.json"] {
            try expectRefused(
                ["--key", path, "ledger.json"], status: 64, "the file with the key must not be the document")
        }
        let key = other.folder["seal.key"].path()
        #expect(try tool.run("export", "--key", key, "-o", key).status == 64)
        #expect(try Data(contentsOf: other.folder["seal.key"]) == Self.material(32))
        try expectRefused(["--key", "no.key", "ledger.json"], status: 66, "no.key: there is no such file")
    }
}
