import CSQLiteFloor
import Foundation
import Measuring
import SimulatedShop
import Vitrine
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineReceipts

/// How long an app waits at launch until it knows what is owned: the creation of a manager over a storage directory in
/// which an earlier launch has stored the store's answer, without a question to the store. The catalog is not read: a
/// manager reads it when products are loaded. Compared with SQLite alone, which opens the same ledger and reads one
/// row. Both take turns in one process; each opens a new copy of the directory each time.
enum Launching {
    private static let (processes, launches) = (5, 20)
    private static let (productCount, guideCount, entryCount) = (100, 80, 200)

    static func compare(in folder: URL, _ targets: inout Targets) throws {
        var figures = Figures()
        for _ in 0..<processes {
            try figures.addRun(
                ["--measure-launching", folder.appending(path: UUID().uuidString).path(percentEncoded: false)])
        }
        print("A launch until ownership is known, with a ledger of \(entryCount) entries and \(productCount) products")
        for (name, description) in [("manager", "a manager"), ("sqlite", "SQLite alone, one row")] {
            print(
                "  \(column(description, width: 24))", formatted(figures[name] * 1_000), "ms,",
                formatted(figures["\(name)Processor"] * 1_000), "ms of a processor; the first in a process",
                formatted(figures["\(name)First"] * 1_000), "ms")
        }
        targets.check(
            "a launch until ownership is known against opening its ledger and reading a row",
            zip(figures.all("manager"), figures.all("sqlite")).map { $0 / $1 }, .atMost(3))
    }

    /// Prints the seconds of each launch, those of the first one under names of their own.
    static func measureHere(_ arguments: ArraySlice<String>) async throws {
        guard let path = arguments.first else { return }
        let folder = URL(filePath: path, directoryHint: .isDirectory)
        let home = try await prepared(in: folder)
        for number in 0..<launches {
            let suffix = number == 0 ? "First" : ""
            var processor = 0.0
            let ledger = try copy(of: home, named: "floor\(number)", in: folder).ledger
            let seconds = floor_read_row(ledger.path(percentEncoded: false), &processor)
            precondition(seconds > 0)
            report("sqlite", seconds, processor, suffix)
            try await launch(try copy(of: home, named: "home\(number)", in: folder), suffix)
        }
    }

    private static func launch(_ home: Home, _ suffix: String) async throws {
        let start = ContinuousClock.now
        let processorBefore = processorSeconds()
        let manager = try await CatalogManager(
            catalog: .file(home.url.appending(path: "Shop.plist")), store: ClosedStore(),
            verifier: SignedDataVerifier(bundleIdentifier: "com.example.voyager", environment: .production),
            home: home)
        let isOwned = manager.ownership(of: SimulatedShop.identifier(0)).isOwned
        let processor = processorSeconds() - processorBefore
        report("manager", start.duration(to: .now).seconds, processor, suffix)
        precondition(isOwned && manager.ownedProducts.count == guideCount)
        await manager.stop()
    }

    private static func report(_ name: String, _ seconds: Double, _ processor: Double, _ suffix: String) {
        print("\(name)\(suffix)=\(seconds)")
        print("\(name)Processor\(suffix)=\(processor)")
    }

    // MARK: The storage directory

    /// Makes a storage directory with a stored answer of the store, and purchases of guides and of coins.
    private static func prepared(in folder: URL) async throws -> Home {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let manager = try await SimulatedShop.manager(productCount: productCount, in: folder, ledger: nil)
        let status = await manager.loadProducts()
        precondition(status == .productsLoaded)
        await manager.stop()
        let home = Home(url: folder.appending(path: "home", directoryHint: .isDirectory))
        let ledger = try SQLiteLedger(url: home.ledger)
        let recorded = Int(try await ledger.summary().lastSequence)
        let entries = try await ledger.append(Array(facts.prefix(entryCount - recorded)), at: SampleLedger.lastDate)
        precondition(entries.count + recorded == entryCount)
        await ledger.checkpoint()
        return home
    }

    /// Copies a storage directory as it is while no process uses it: without SQLite's log, which is empty.
    private static func copy(of home: Home, named name: String, in folder: URL) throws -> Home {
        let copy = Home(url: folder.appending(path: name, directoryHint: .isDirectory))
        try FileManager.default.copyItem(at: home.url, to: copy.url)
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy.ledger.path(percentEncoded: false) + suffix)
        }
        return copy
    }

    /// Purchases of guides, none of them a pack, and then of coins with their credits.
    private static let facts: [Fact] =
        (0..<productCount).filter { $0 % 10 != 9 }.prefix(guideCount).map { index in
            Fact.product(
                SampleLedger.key(index), of: SimulatedShop.identifier(index), at: SampleLedger.lastDate,
                signedData: SampleLedger.signedData)
        }
        + (productCount..<productCount + entryCount).flatMap { index in
            Fact.coins(
                SampleLedger.key(index), of: "com.example.voyager.coins50", amount: 50, wallet: "coins",
                at: SampleLedger.lastDate, signedData: SampleLedger.signedData)
        }
}
