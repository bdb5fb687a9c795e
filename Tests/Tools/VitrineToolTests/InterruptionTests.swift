import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Processes that are killed at points that a database lock of the test determines.
@Suite(.blocksThreads, .hangLimit) struct InterruptionTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        #expect(try tool.run("load").status == 0)
    }

    /// Buys a product with an approval while no process runs, because a purchase would fail while the ledger is locked.
    private func buyWithApproval(_ name: String) throws {
        for (arguments, status) in [
            (["store", "set", "ask-to-buy", "on"], 0), (["buy", .voyager(name)], 2),
            (["store", "set", "ask-to-buy", "off"], 0),
            (["store", "approve", "1"], 0),
        ] { #expect(try tool.run(arguments).status == status, "\(arguments)") }
    }

    @Test func `a purchase whose process is killed before recording it is delivered once by the next command`() throws {
        try buyWithApproval("coins50")
        let ledger = try Lock(tool.home.appending(path: "ledger.sqlite"))
        let (process, errors) = try tool.startReadingErrors("load", "--verbose")
        try errors.wait(for: "transaction verified")
        kill(process)
        try ledger.release()

        #expect(try states() == ["unfinished"])
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
        #expect(try states() == ["finished"])
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
    }

    @Test func `a purchase whose process is killed after recording and before finishing it is not credited twice`()
        throws
    {
        try buyWithApproval("coins50")
        let ledger = try Lock(tool.home.appending(path: "ledger.sqlite"))
        let (process, errors) = try tool.startReadingErrors("load", "--verbose")
        try errors.wait(for: "transaction verified")
        // The store cannot be told that the transaction is delivered while the test holds its state.
        let store = try Lock(tool.home.appending(path: "Store/store.sqlite"))
        try ledger.release()
        try errors.wait(for: "transaction recorded")
        kill(process)
        try store.release()

        #expect(try states() == ["unfinished"])
        #expect(try tool.run("load").status == 0)
        #expect(try states() == ["finished"])
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
    }

    @Test func `the children of a bundle are unlocked by the next command after the delivering process is killed`()
        throws
    {
        try buyWithApproval("everything")
        let ledger = try Lock(tool.home.appending(path: "ledger.sqlite"))
        let (process, errors) = try tool.startReadingErrors("load", "--verbose")
        try errors.wait(for: "transaction verified")
        kill(process)
        try ledger.release()

        #expect(try tool.run("owned", .voyager("madrid")).status == 0)
        #expect(try tool.run("buy", .voyager("everything")).output.contains("not charged again"))
    }

    @Test func `ten concurrent processes can create a new ledger`() throws {
        let tool = try Tool.voyager()
        try tool.forgetLedger()
        let running = try (0..<10).map { _ in try tool.start(["owned"]).process }
        for process in running {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test func `ten concurrent processes set a damaged ledger aside only once`() throws {
        try tool.run("buy", .voyager("lisbon"))
        let ledger = tool.home.appending(path: "ledger.sqlite")
        let damaged = Data("no ledger".utf8)
        try damaged.write(to: ledger)
        let running = try (0..<10).map { _ in try tool.start(["owned", .voyager("lisbon")]).process }
        for process in running {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let audit = try HomeAudit(tool.home)
        let names = try audit.setAside()
        #expect(names.count == 1)
        #expect(try names.map { try Data(contentsOf: tool.home.appending(path: $0)) } == [damaged])
        #expect(audit.entries(of: "loss").map(\.key) == names)
        #expect(audit.violations() == [])
        #expect(try audit.leftovers() == [])
    }

    @Test func `ten concurrent purchases credit exactly the units of the transactions that the store charged`() throws {
        let running = try (0..<10).map { _ in try tool.start(["buy", .voyager("coins50")]).process }
        for process in running {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let sold = try states()
        #expect(sold.allSatisfy { $0 == "finished" })
        #expect(try tool.run("wallet", "coins").lines.last == "coins   \(sold.count * 50)")
    }

    @Test func `ten concurrent debits do not spend more than the balance`() throws {
        try tool.run("buy", .voyager("coins50"))
        let running = try (0..<10).map { try tool.start(["spend", "coins", "20", "--token", "\($0)"]).process }
        let statuses = running.map { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(statuses.sorted() == [0, 0] + Array(repeating: 1, count: 8))
        #expect(try tool.run("wallet", "coins").lines.last == "coins   10")
    }

    private func kill(_ process: Process) {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
    }

    private func states() throws -> [String] {
        let transactions = try #require(
            try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]])
        return transactions.map { $0["finished"] as? Bool == true ? "finished" : "unfinished" }
    }
}

/// Exclusive lock on a database, for which other writers wait.
private struct Lock {
    private let database: DatabaseQueue

    init(_ url: URL) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        database = try DatabaseQueue(path: url.path(), configuration: configuration)
        try database.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
    }

    func release() throws {
        try database.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try database.close()
    }
}
