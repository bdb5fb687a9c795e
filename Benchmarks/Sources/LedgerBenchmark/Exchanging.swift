import Foundation
import Measuring
import SimulatedShop
import Vitrine
import VitrineEntitlements
import VitrineEntitlementsSQLite

/// Facts that one device has recorded and another takes over through a folder, sealed: published by the one and recorded
/// by the other. Compared with writing the same facts to the one device's ledger, all in one commit.
enum Exchanging {
    private static let rounds = 5
    private static let count = 10_000

    static func compare(in folder: URL, _ targets: inout Targets) throws {
        var figures = Figures()
        for _ in 0..<rounds {
            try figures.addRun(["--measure-exchange", folder.appending(path: UUID().uuidString).path()])
        }
        print("\(count) facts of one device, taken over by another")
        for name in ["write", "publish", "receive", "nothing"] {
            print(
                "  \(column(name, width: 10))", formatted(figures[name] * 1_000, digits: 1), "ms,",
                formatted(figures["\(name)Processor"] * 1_000, digits: 1), "ms of a processor")
        }
        let ratios = zip(zip(figures.all("publish"), figures.all("receive")).map(+), figures.all("write")).map {
            $0 / $1
        }
        targets.check("exchanging \(count) facts against writing them", ratios, .atMost(3))
    }

    static func measureHere(_ arguments: ArraySlice<String>) async throws {
        guard let path = arguments.first else { return }
        let folder = URL(filePath: path, directoryHint: .isDirectory)
        let shared = folder.appending(path: "Shared", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        let place = ExchangeFolder(url: shared)
        let options = ExchangeOptions(key: try LedgerSealKey(Data(repeating: 7, count: 32)), name: "device")
        var managers: [CatalogManager] = []
        for name in ["one", "other"] {
            managers.append(
                try await SimulatedShop.manager(
                    productCount: 100, in: folder.appending(path: name, directoryHint: .isDirectory), ledger: nil))
        }
        for manager in managers { _ = try await manager.devices.exchange(at: place, options) }
        let home = Home(url: folder.appending(path: "one").appending(path: "home", directoryHint: .isDirectory))
        let ledger = try SQLiteLedger(url: home.ledger)
        let now = Date()
        try await measure("write") {
            let entries = try await ledger.append(facts, at: now)
            precondition(entries.count == count)
        }
        try await measure("publish") {
            let report = try await managers[0].devices.exchange(at: place, options)
            precondition(report.sent == count)
        }
        try await measure("receive") {
            let report = try await managers[1].devices.exchange(at: place, options)
            precondition(report.received == count)
        }
        precondition(managers[1].wallets.balances == ["coins": .known(balance)])
        try await measure("nothing") {
            let report = try await managers[1].devices.exchange(at: place, options)
            precondition(report.sent + report.received + report.problemCount == 0)
        }
    }

    private static func measure(_ name: String, _ body: () async throws -> Void) async throws {
        let processor = processorSeconds()
        let duration = try await ContinuousClock().measure { try await body() }
        print("\(name)=\(duration.seconds)")
        print("\(name)Processor=\(processorSeconds() - processor)")
    }

    private static let balance = 1_000_000 + count / 4 * 3 - count / 2 * 7

    /// A deposit, then debits, deposits and grants.
    private static let facts: [Fact] = (0..<count).map { index in
        switch index % 4 {
        case _ where index == 0:
            .deposit(Fact.Deposit(token: "start", wallet: "coins", amount: 1_000_003, reason: "a start"))
        case 0: .deposit(Fact.Deposit(token: "deposit \(index)", wallet: "coins", amount: 3, reason: "a gift"))
        case 1:
            .grant(
                Fact.Grant(
                    token: "grant \(index)", productIdentifier: SimulatedShop.identifier(index % 100), reason: "a gift")
            )
        default: .debit(Fact.Debit(token: "debit \(index)", wallet: "coins", amount: 7))
        }
    }
}
