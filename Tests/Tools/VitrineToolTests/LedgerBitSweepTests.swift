import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Ledger with one flipped bit in each page in turn, and the commands after it.
@Suite(.blocksThreads, .hangLimit) struct LedgerBitSweepTests {
    private static let pageSize = 4096

    /// Returns byte offsets in a page: its header, the cell pointers, and its cells; all of them with
    /// `CRASH_SWEEP=all`.
    private static func places(in page: Int) -> [Int] {
        let (header, isWhole) = (page == 0 ? 100 : 0, ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all")
        let places =
            isWhole
            ? Array(header..<header + 24) + Array(stride(from: header + 24, to: pageSize, by: 61))
            : [header + 4, header + 8 + page % 8, pageSize - 200 - page % 150]
        return places.map { page * pageSize + $0 }
    }

    /// Creates a home with a guide, a refunded guide, and 120 coins in a ledger that no process has open.
    private func template() throws -> Tool {
        let tool = try Tool.voyager()
        for command in [
            ["buy", .voyager("lisbon")], ["buy", .voyager("coins50"), "--quantity", "3"],
            ["spend", "coins", "30", "--token", "map"], ["buy", .voyager("porto")], ["store", "refund", "3"], ["load"],
        ] {
            try #require(try tool.run(command).status == 0, "\(command)")
        }
        let database = try DatabaseQueue(path: tool.home.appending(path: "ledger.sqlite").path())
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try database.close()
        return tool
    }

    @Test func `a flipped bit in the ledger file never causes wrong balances, wrong ownership or an unreported loss`()
        throws
    {
        let template = try template()
        let whole = try Data(contentsOf: template.home.appending(path: "ledger.sqlite"))
        var lost = 0
        let places = (0..<whole.count / Self.pageSize).flatMap(Self.places)
        for place in places {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            var damaged = whole
            damaged[place] ^= 1 << UInt8(place % 8)
            try damaged.write(to: tool.home.appending(path: "ledger.sqlite"))
            if try isLost(in: tool, at: "byte \(place)") { lost += 1 }
        }
        // What an index has too, or an index alone, is repaired.
        #expect(lost < places.count / 2, "\(lost) of \(places.count)")
    }

    /// Buys, spends, and opens the home again.
    ///
    /// - Returns: `true` if the ledger was lost, which the tool must report.
    private func isLost(in tool: Tool, at place: Comment) throws -> Bool {
        let bought = try tool.run("buy", .voyager("coins50"))
        let spent = try tool.run("spend", "coins", "10", "--token", "hint")
        let again = try tool.run("spend", "coins", "30", "--token", "map")
        let wallet = try tool.run("wallet", "coins", "--json")
        let wallets = try #require(try wallet.json["wallets"] as? [[String: Any]], "\(place): \(wallet.errors)")
        let owned = try tool.run("owned", "--json")
        let products = try #require(try owned.json["owned"] as? [[String: Any]], "\(place): \(owned.errors)")
        #expect(products.compactMap { $0["product"] as? String } == [.voyager("lisbon")], place)
        #expect(bought.status == 0, "\(place): \(bought.output)\(bought.errors)")
        guard let balance = wallets.first?["balance"] as? Int else {
            #expect(wallet.errors.contains("warning: the ledger was lost: "), place)
            #expect([spent.status, again.status] == [2, 2], place)
            #expect(wallets.first?["atLeast"] as? Int ?? 0 <= 50, place)
            return true
        }
        #expect(spent.status == 0 && again.status == 0, "\(place): \(spent.errors)\(again.errors)")
        #expect(balance == 160, place)
        let check = try tool.run("check")
        // The signed data has no checksum: its signature says that it has changed.
        let problems = check.lines.dropLast().filter { !$0.contains("cannot be trusted: ") }
        #expect(problems.isEmpty, "\(place): \(check.output)\(check.errors)")
        #expect(try HomeAudit(tool.home).violations() == [], place)
        return false
    }
}
