import Foundation
import GRDB
import TestSupport
import Testing

/// Damage in an index that only writing meets.
@Suite(.timeLimit(.minutes(45))) struct LedgerDamageTests {
    /// Buys coins and damages the index by which a fact is recorded once.
    private func damagedTool() throws -> Tool {
        let tool = try Tool.voyager()
        for _ in 0..<3 { #expect(try tool.run("buy", .voyager("coins50")).status == 0) }
        return tool
    }

    private func damageIndex(of tool: Tool) throws {
        let file = tool.home.appending(path: "ledger.sqlite")
        let root = try DatabaseQueue(path: file.path()).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_entry_1'")
        }
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(try #require(root) - 1) * 4096)
        try handle.write(contentsOf: [0x55])
        try handle.close()
    }

    private func chargedCount(_ tool: Tool) throws -> Int {
        try #require(try tool.run("store", "transactions", "--json").json["transactions"] as? [Any]).count
    }

    @Test func `nothing is sold while the ledger cannot be written, and the next command sets it aside`() throws {
        let tool = try damagedTool()
        try damageIndex(of: tool)

        let refused = try tool.run("buy", .voyager("lisbon"))
        #expect(refused.status == 74, "\(refused.output)\(refused.errors)")
        #expect(try chargedCount(tool) == 3)

        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is damaged: "))
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("check").status == 0)
    }

    @Test func `what was charged while the ledger could not be written is delivered into the next one`() throws {
        let tool = try damagedTool()
        #expect(try tool.run("store", "ask-to-buy", "on").status == 0)
        #expect(try tool.run("buy", .voyager("coins500")).status == 2)
        try damageIndex(of: tool)
        #expect(try tool.run("store", "approve", "4").status == 0)

        _ = try tool.run("load")
        #expect(try tool.run("load").status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   unknown, at least 500")
        #expect(try tool.run("check").status == 0)
    }
}
