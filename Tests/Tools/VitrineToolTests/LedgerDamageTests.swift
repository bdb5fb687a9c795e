import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Damage to the file of a ledger, and the behavior of the following commands.
@Suite(.blocksThreads, .hangLimit) struct LedgerDamageTests {
    private let tool: Tool
    private var file: URL { tool.home.appending(path: "ledger.sqlite") }

    init() throws {
        tool = try Tool.voyager()
        for _ in 0..<3 { try #require(try tool.run("buy", .voyager("coins50")).status == 0) }
    }

    private func damageIndex() throws { try LedgerDamage.damageIndex(of: file) }

    /// Makes the ledger so large that it is not checked completely at each opening.
    private func enlarge() throws {
        let database = try DatabaseQueue(path: file.path())
        try database.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    INSERT INTO storedValue (name, value, checksum) VALUES ('filler', zeroblob(5000000), 0);
                    PRAGMA wal_checkpoint(TRUNCATE);
                    """)
        }
        try database.close()
    }

    private func chargedCount() throws -> Int {
        try #require(try tool.run("store", "transactions", "--json").json["transactions"] as? [Any]).count
    }

    private func expectRepaired(coins: Int, _ place: Comment = "") throws {
        #expect(try tool.run("wallet", "coins").lines.last == "coins   \(coins)", place)
        #expect(try tool.run("check").status == 0, place)
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.home.path())
        #expect(names.filter { $0.hasPrefix("ledger.damaged-") && $0.hasSuffix(".sqlite") }.count == 1, place)
        #expect(names.filter { $0.hasPrefix("ledger.repaired") || $0.hasPrefix("ledger.setting") } == [], place)
    }

    @Test func `a damaged index is repaired when the ledger is opened, and nothing is lost`() throws {
        try damageIndex()

        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        try expectRepaired(coins: 150)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `purchases are refused while a large ledger is damaged, and the next command repairs the ledger`() throws
    {
        try enlarge()
        try damageIndex()

        let refused = try tool.run("buy", .voyager("lisbon"))
        #expect(refused.status == 74, "\(refused.output)\(refused.errors)")
        #expect(try chargedCount() == 3)
        try expectRepaired(coins: 150)
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
    }

    @Test func `a purchase that is approved while the ledger is damaged is delivered after the repair`() throws {
        #expect(try tool.run("store", "set", "ask-to-buy", "on").status == 0)
        #expect(try tool.run("buy", .voyager("coins500")).status == 2)
        try enlarge()
        try damageIndex()
        #expect(try tool.run("store", "approve", "4").status == 0)

        _ = try tool.run("load")
        #expect(try tool.run("load").status == 0)
        try expectRepaired(coins: 650)
    }

    @Test func `vitrine check --repair repairs a damaged ledger`() throws {
        try enlarge()
        try damageIndex()

        let check = try tool.run("check", "--repair")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        #expect(check.lines.first?.hasPrefix("repaired: ") == true, "\(check.output)")
        #expect(check.lines.last == "6 entries checked: no problems")
        try expectRepaired(coins: 150)
        #expect(try tool.run("check", "--repair").output == "6 entries checked: no problems\n")
    }

    @Test(arguments: ["opened.mark", "HostedContent"])
    func `a ledger whose files were all deleted is detected as lost by its marker file or by downloaded content`(
        alsoRemoved: String
    )
        throws
    {
        #expect(try tool.run("buy", .voyager("rome")).status == 0)
        try tool.forgetLedgerFiles()
        try FileManager.default.removeItem(at: tool.home.appending(path: alsoRemoved))

        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is missing or empty"))
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("check").status == 1)
        #expect(try tool.run("owned", .voyager("rome")).status == 0)
    }

    /// The text occurs in a row and in an index of the ledger's file. Each copy is changed.
    @Test func `one damaged copy of a product identifier in the ledger file does not change which products are owned`()
        throws
    {
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        _ = try DatabaseQueue(path: file.path()).writeWithoutTransaction {
            try String.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let whole = try Data(contentsOf: file)
        let places = whole.ranges(of: Data(String.voyager("lisbon").utf8)).map { $0.upperBound - 6 }
        #expect(places.count >= 2)
        for place in places {
            try tool.forgetLedgerFiles()
            var damaged = whole
            damaged[place] ^= 1
            try damaged.write(to: file)

            let owned = try tool.run("owned", "--json")
            let products = try #require(try owned.json["owned"] as? [[String: Any]])
            #expect(products.compactMap { $0["product"] as? String } == [.voyager("lisbon")], "byte \(place)")
        }
    }

    @Test(arguments: [
        "{", "[]", #"{"name": "../../ledger.damaged-1.sqlite", "reason": "a"}"#,
        #"{"name": "ledger.damaged-../../1.sqlite", "reason": "a"}"#, #"{"name": "Store", "reason": "a"}"#,
        #"{"name": "ledger.damaged-1.sqlite", "reason": "a", "repaired": "../repaired.sqlite"}"#,
        #"{"name": "ledger.damaged-1.sqlite", "reason": "a", "repaired": "vitrine.json"}"#,
    ])
    func `a plan file for replacing a damaged ledger is ignored if it is damaged or names other files`(plan: String)
        throws
    {
        let before = try Set(tool.files().keys)
        try tool.folder.write(plan, to: ".vitrine/ledger.setting-aside.json")

        try expectNoPlan(before)
    }

    @Test(arguments: ["folder", "pipe", "endless"])
    func `a plan file for replacing a damaged ledger is ignored if it is a folder, a pipe or too large`(kind: String)
        throws
    {
        let before = try Set(tool.files().keys)
        let plan = tool.home.appending(path: "ledger.setting-aside.json")
        switch kind {
        case "folder": try FileManager.default.createDirectory(at: plan, withIntermediateDirectories: false)
        case "pipe": #expect(mkfifo(plan.path(), 0o644) == 0)
        default: try Data(repeating: UInt8(ascii: " "), count: 100_000).write(to: plan)
        }
        try expectNoPlan(before)
    }

    private func expectNoPlan(_ before: Set<String>) throws {
        let (wallet, isKilled) = try tool.startUntilKilled(["wallet", "coins"], after: 60)
        #expect(!isKilled)
        #expect(wallet.status == 0, "\(wallet.errors)")
        #expect(wallet.lines.last == "coins   150")
        #expect(wallet.errors.isEmpty)
        #expect(
            try Set(tool.files().keys.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
                == before.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
        #expect(try tool.run("check").status == 0)
    }

    @Test func `a ledger with a forged credit is treated as lost`() throws {
        let database = try DatabaseQueue(path: file.path())
        try database.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    DROP TRIGGER entriesAreNeverChanged;
                    UPDATE entry SET amount = 5000, balance = 5100 WHERE sequence = 6;
                    """)
        }
        try database.close()

        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is damaged: "))
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("check").status == 1)
        #expect(try tool.run("settle").status == 0)
        #expect(try tool.run("check").status == 0)
    }
}

extension Tool {
    /// Removes the files of the current and earlier ledgers, but not the marks that a ledger existed.
    fileprivate func forgetLedgerFiles() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home.path())
        where name.hasPrefix("ledger.") {
            try FileManager.default.removeItem(at: home.appending(path: name))
        }
    }
}
