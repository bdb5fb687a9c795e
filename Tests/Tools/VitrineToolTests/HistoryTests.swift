import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// History of a ledger, and the detection of manipulations.
@Suite(.blocksThreads, .hangLimit) struct HistoryTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    private var ledger: URL { tool.home.appending(path: "ledger.sqlite") }

    /// Runs a command, and expects that it succeeds.
    private func run(_ arguments: String...) throws {
        let result = try tool.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.output)\(result.errors)")
    }

    /// Changes the ledger in place, as the owner of the file could.
    ///
    /// - Parameter knowsChecksums: `true` to compute the checksums of the changed entries too.
    private func tamper(_ statement: String, knowsChecksums: Bool = true) throws {
        let raw = try DatabaseQueue(path: ledger.path())
        try raw.write { database in
            let triggers = try Row.fetchAll(database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
            try database.execute(sql: statement)
            if knowsChecksums { try LedgerForger.writeChecksums(in: database) }
            for trigger in triggers { try database.execute(sql: trigger["sql"]) }
        }
        try raw.close()
    }

    // MARK: History

    @Test func `vitrine history lists all ledger entries in order`() throws {
        #expect(try tool.run("history").output == "the ledger is empty\n")
        try run("buy", .voyager("coins50"), "--quantity", "3")
        try run("spend", "coins", "30", "--token", "map")
        try run("store", "refund", "1")
        try run("load")
        try run("store", "reverse-refund", "1")
        try run("unlock", .voyager("porto"), "--reason", "won in a raffle", "--by", "customer support")
        try run("lock", .voyager("porto"), "--reason", "the raffle was void", "--by", "the lawyers")

        let lines = try tool.run("history").lines
        #expect(lines[0] == "NO  RECORDED                 ENTRY")
        #expect(
            lines.dropFirst().map { String($0.dropFirst(29)) } == [
                "bought 3 of com.example.voyager.coins50 (transaction 1)",
                "150 into the wallet coins for com.example.voyager.coins50 (transaction 1)",
                "30 out of the wallet coins, spent for \"map\"",
                "the store revoked com.example.voyager.coins50 (transaction 1): 120 out of the wallet coins",
                "the store reinstated com.example.voyager.coins50 (transaction 1): 120 into the wallet coins",
                "granted com.example.voyager.porto by customer support: won in a raffle",
                "locked com.example.voyager.porto by the lawyers: the raffle was void",
            ])
        #expect(lines.dropFirst().map { $0.prefix(1) } == ["1", "2", "3", "4", "5", "6", "7"])
    }

    @Test func `vitrine history --json prints all ledger entries`() throws {
        try run("buy", .voyager("coins50"))
        try run("spend", "coins", "30", "--token", "map")

        let entries = try #require(try tool.run("history", "--json").json["entries"] as? [[String: Any]])
        #expect(entries.map { $0["number"] as? Int } == [1, 2, 3])
        #expect(entries.map { $0["kind"] as? String } == ["purchase", "credit", "debit"])
        #expect(entries.map { $0["amount"] as? Int } == [nil, 50, -30])
        #expect(entries.map { $0["wallet"] as? String } == [nil, "coins", "coins"])
        #expect(entries[0]["transaction"] as? String == "1")
        #expect(entries[0]["product"] as? String == .voyager("coins50"))
        #expect(entries.allSatisfy { $0["recorded"] is String && $0["what"] is String })
    }

    // MARK: Gifts

    @Test func `locking a product ends the ownership of a granted product, but not of a purchased one`() throws {
        try run("unlock", .voyager("porto"), "--reason", "won", "--by", "customer support")
        try run("buy", .voyager("lisbon"))
        #expect(
            try tool.run("why", .voyager("porto")).lines[1].contains(
                " by customer support: won; the ownership ends if the product is locked"))

        let locked = try tool.run("lock", .voyager("porto"), "--reason", "void", "--by", "the lawyers")
        #expect(locked.output == "locked com.example.voyager.porto: now not owned\n")
        let why = try tool.run("why", .voyager("porto"))
        #expect(why.status == 1)
        #expect(why.lines.last?.hasSuffix(" by the lawyers: void") == true)

        let again = try tool.run("lock", .voyager("porto"))
        #expect(again.status == 1)
        #expect(again.output == "there is no grant of com.example.voyager.porto to end\n")
        #expect(try tool.run("lock", .voyager("lisbon")).status == 1)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)

        try run("unlock", .voyager("porto"))
        #expect(try tool.run("owned", .voyager("porto")).status == 0)
        #expect(try tool.run("lock", .voyager("porto"), "--json").json["locked"] as? Bool == true)
    }

    // MARK: Checking

    @Test func `vitrine check finds no problems in an unmodified ledger`() throws {
        #expect(try tool.run("check").output == "0 entries checked: no problems\n")
        try run("buy", .voyager("coins50"))
        try run("spend", "coins", "30", "--token", "map")
        try run("store", "refund", "1")
        try run("load")
        try run("store", "reverse-refund", "1")
        try run("unlock", .voyager("porto"))

        #expect(try tool.run("check").output == "6 entries checked: no problems\n")
        let json = try tool.run("check", "--json").json
        #expect(json["entries"] as? Int == 6)
        #expect((json["problems"] as? [String])?.isEmpty == true)
    }

    @Test(
        arguments: [
            (
                "UPDATE entry SET balance = 60 WHERE kind = 'credit'",
                "the wallet \"coins\" is shown with 60, but the entries of the ledger add up to 50"
            ),
            (
                "UPDATE entry SET amount = 500 WHERE kind = 'credit'",
                "the wallet \"coins\" is shown with 50, but the entries of the ledger add up to 500"
            ),
            ("UPDATE entry SET signedData = signedData || 'AA' WHERE sequence = 1", "entry 1 cannot be trusted: "),
            ("UPDATE entry SET signedData = 'a.b.c' WHERE sequence = 1", "entry 1 cannot be trusted: "),
            (
                "UPDATE entry SET signedData = (SELECT signedData FROM entry WHERE sequence = 2) WHERE sequence = 1",
                "entry 1 cannot be trusted: the signed data differs from the entry"
            ),
            (
                "UPDATE entry SET productIdentifier = 'com.example.voyager.porto' WHERE sequence = 1",
                "entry 1 cannot be trusted: the signed data differs from the entry"
            ),
            (
                "UPDATE entry SET quantity = 3 WHERE sequence = 2",
                "entry 2 cannot be trusted: the signed data differs from the entry"
            ),
            (
                "UPDATE entry SET purchaseDate = purchaseDate - 1 WHERE sequence = 1",
                "entry 1 cannot be trusted: the signed data differs from the entry"
            ),
            ("DELETE FROM entry WHERE sequence = 1", "entry 1 is missing"),
            ("DELETE FROM entry WHERE sequence = 2", "entry 2 is missing"),
            (
                "DELETE FROM entry WHERE sequence = 2",
                "entry 3 credits the purchase 2, which is not recorded"
            ),
            ("DELETE FROM entry WHERE sequence < 3", "entries 1 to 2 are missing"),
        ]
    )
    func `vitrine check detects changes to ledger entries even if their checksums were recomputed`(
        statement: String, problem: String
    ) throws {
        try run("buy", .voyager("lisbon"))
        try run("buy", .voyager("coins50"))
        try tamper(statement)

        let check = try tool.run("check")
        #expect(check.status == 1)
        #expect(check.lines.contains { $0.hasPrefix(problem) }, "\(check.output)")
        #expect(check.lines.last?.hasSuffix(" entries checked: problems found") == true)
        let problems = try tool.run("check", "--json").json["problems"] as? [String]
        #expect(problems == check.lines.dropLast())
    }

    @Test(
        arguments: [
            ("debit", 60, "entry 3 debits 60 from the wallet \"coins\", which had 50"),
            ("revocation", 21, "entry 4 removes 21 of \"coins\", but the entries before it require 20 of \"coins\""),
            ("revocation", 1, "entry 4 removes 1 of \"coins\", but the entries before it require 20 of \"coins\""),
            ("reinstatement", 50, "entry 5 returns 50 of \"coins\", but the entries before it require 20 of \"coins\""),
        ]
    )
    func `vitrine check detects debits, revocations and reinstatements with impossible amounts`(
        kind: String, amount: Int, problem: String
    ) throws {
        try run("buy", .voyager("coins50"))
        try run("spend", "coins", "30", "--token", "map")
        try run("store", "refund", "1")
        try run("load")
        try run("store", "reverse-refund", "1")
        try run("load")
        #expect(try tool.run("check").status == 0)
        try tamper("UPDATE entry SET amount = \(amount) WHERE kind = '\(kind)'")

        let check = try tool.run("check")
        #expect(check.status == 1)
        #expect(check.lines.contains(problem), "\(check.output)")
    }

    @Test func `vitrine check prints a remark about a credit that differs from the value in the current catalog`()
        throws
    {
        try run("buy", .voyager("coins50"), "--quantity", "3")
        let catalog = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(
            catalog.replacing("<integer>50</integer>", with: "<integer>60</integer>"), to: "catalog.plist")
        try run("init", "--catalog", "catalog.plist")

        let check = try tool.run("check")
        #expect(check.status == 0)
        #expect(check.output == "2 entries checked: no problems\n")
        let remark =
            "entry 2 credits 150 of \"coins\" for com.example.voyager.coins50, but the loaded catalog credits 180 of "
            + "\"coins\""
        #expect(check.errors == "vitrine: remark: \(remark)\n")
        #expect(try tool.run("check", "--json").json["remarks"] as? [String] == [remark])
    }

    @Test(
        arguments: [
            "UPDATE entry SET amount = 500, balance = 500 WHERE kind = 'credit'",
            "UPDATE entry SET productIdentifier = 'com.example.voyager.porto' WHERE sequence = 1",
            "UPDATE entry SET kind = 'deposit', reason = 'a present', purchaseID = NULL, productIdentifier = NULL, "
                + "refundPolicy = NULL WHERE kind = 'credit'",
            "DELETE FROM entry WHERE sequence = 1",
        ]
    )
    func `a ledger that was changed without recomputing its checksums is treated as lost`(statement: String) throws {
        try run("buy", .voyager("lisbon"))
        try run("buy", .voyager("coins50"))
        try tamper(statement, knowsChecksums: false)

        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is damaged: "))
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    // MARK: Losses

    @Test func `after a ledger loss balances are unknown until the loss is settled`() throws {
        try run("buy", .voyager("coins50"))
        try run("buy", .voyager("lisbon"))
        #expect(try tool.run("settle").output == "no ledger was lost\n")
        #expect(try tool.run("settle").status == 1)
        try Data("no ledger".utf8).write(to: ledger)

        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.status == 2)
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(wallet.errors.hasPrefix("vitrine: warning: the ledger was lost: "))
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)

        let check = try tool.run("check")
        #expect(check.status == 1)
        #expect(check.lines.dropLast().count == 1)
        #expect(check.lines[0].hasPrefix("the loss of an earlier ledger is not settled ("))
        #expect(check.lines[0].hasSuffix(": check the balances, then confirm them with 'vitrine settle'"))
        #expect(try tool.run("check", "--json").json["problems"] as? [String] == [check.lines[0]])

        let settled = try tool.run("settle", "--reason", "looked at the receipts", "--by", "customer support")
        #expect(settled.output == "balances are known again\n")
        let known = try tool.run("wallet", "coins")
        #expect(known.status == 0)
        #expect(known.errors.isEmpty)
        #expect(known.lines.last == "coins   0")
        #expect(
            try tool.run("history").lines.last?
                .hasSuffix("ledger loss settled by customer support: looked at the receipts") == true)
        #expect(try tool.run("settle", "--json").json["settled"] as? Bool == false)
        #expect(try tool.run("check").status == 0)
    }
}
