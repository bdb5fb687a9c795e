import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Pending transactions, and transactions that fail the verification.
@Suite(.blocksThreads, .hangLimit) struct PendingTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    /// Changes the store's state directly in its database.
    private func changeStore(_ statement: String) throws {
        let raw = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
        try raw.write { try $0.execute(sql: statement) }
    }

    @Test func `vitrine pending and vitrine retry report that no transactions are pending`() throws {
        try tool.run("buy", .voyager("lisbon"))

        for command in ["pending", "retry"] {
            let result = try tool.run(command)
            #expect(result.status == 0)
            #expect(result.output == "no pending transactions\n")
            #expect(try (tool.run(command, "--json").json["pending"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a transaction whose product is not in the catalog is pending until the catalog contains the product`()
        throws
    {
        try tool.run("buy", .voyager("lisbon"))
        try tool.forgetLedger()
        try changeStore("INSERT OR IGNORE INTO unfinished SELECT 1, id FROM purchase")
        let catalog = try tool.folder.write(
            PlistText.document("<array><string>com.example.voyager.porto</string></array>"), to: "c.plist")
        #expect(try tool.run("init", "--catalog", catalog.path()).status == 0)

        for command in ["pending", "retry"] {
            let result = try tool.run(command)
            #expect(result.status == 2)
            #expect(
                result.lines == [
                    "TRANSACTION  PRODUCT                     STATE    REASON",
                    "1            com.example.voyager.lisbon  waiting  com.example.voyager.lisbon is not in the catalog",
                ])
        }
        let waiting = try tool.run("pending", "--json").json["pending"] as? [[String: String]]
        #expect(
            waiting == [
                [
                    "transaction": "1", "product": "com.example.voyager.lisbon", "state": "waiting",
                    "reason": "com.example.voyager.lisbon is not in the catalog",
                ]
            ])
        let discarded = try tool.run("discard", "1")
        #expect(discarded.status == 1)
        #expect(
            discarded.errors.hasSuffix(
                "error: transaction 1 cannot be discarded: it was not rejected, and has been paid for\n"))

        try tool.run("init", "--catalog", Repository.sample("Voyager.plist").path())
        #expect(try tool.run("retry").status == 0)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `a rejected transaction gives no ownership and can be discarded`() throws {
        try tool.run("buy", .voyager("lisbon"))
        try tool.forgetLedger()
        // Signed in the year 2100, when its certificates have ended.
        try changeStore(
            """
            UPDATE purchase SET signedFrom = 4102444800000;
            INSERT OR IGNORE INTO unfinished SELECT 1, id FROM purchase;
            """)

        let pending = try tool.run("pending")
        #expect(pending.status == 2)
        #expect(pending.lines.last?.hasPrefix("1            com.example.voyager.lisbon  rejected  ") == true)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)

        #expect(try tool.run("discard", "1", "--json").json["discarded"] as? String == "1")
        #expect(try tool.run("pending").output == "no pending transactions\n")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        #expect(try tool.run("history").output == "the ledger is empty\n")
    }

    @Test func `vitrine discard refuses a transaction that is finished or unknown`() throws {
        try tool.run("buy", .voyager("lisbon"))

        for transaction in ["1", "99"] {
            let result = try tool.run("discard", transaction)
            #expect(result.status == 1)
            #expect(result.errors == "vitrine: error: the store has no unfinished transaction \(transaction)\n")
        }
        #expect(try tool.run("discard").status == 64)
    }

    @Test func `vitrine retry and vitrine discard fail if the store does not return its unfinished transactions`()
        throws
    {
        try tool.run("store", "fail", "unfinished")

        let retried = try tool.run("retry")
        #expect(retried.status == 2)
        #expect(retried.errors.contains("error: the store query failed: "))
        #expect(try tool.run("discard", "1").status == 2)
    }
}
