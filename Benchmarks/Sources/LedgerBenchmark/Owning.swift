import Foundation
import Measuring
import VitrineEntitlements
import VitrineEntitlementsSQLite

/// What a customer owns: asked for, changed by a new fact, and computed when an app is launched.
enum Owning {
    private static let rounds = 5

    /// Maximum time of opening a ledger whose entries are mostly coins, in seconds.
    private static let openingLimit = 0.3

    static func compare(_ sample: SampleLedger, in folder: URL, _ targets: inout Targets) async throws {
        let file = folder.appending(path: "\(sample.rawValue).sqlite")
        print("A ledger of 1,000,000 entries: \(sample.description)")
        try await sample.write(to: file)
        var figures = Figures()
        for _ in 0..<rounds { try figures.addRun(["--measure-owning", file.path(percentEncoded: false)]) }
        for name in figures.names { print("  \(column(name, width: 92))", formatted(figures[name], digits: 2)) }
        // A million products that the catalog does not have are more than any shop sells.
        if sample == .mostlyCoins {
            targets.check(
                "opening a ledger of 1,000,000 entries with a catalog of 10,000 products, seconds",
                figures.all(opening).map { $0 / 1_000 }, .atMost(openingLimit))
        }
        var examination = Figures()
        try examination.addRun(["--measure-examination", file.path(percentEncoded: false)])
        for name in examination.names { print("  \(column(name, width: 92))", formatted(examination[name], digits: 2)) }
        try FileManager.default.removeItem(at: file)
    }

    private static let opening = "opening at launch: all of it, ms"

    /// Prints how long it takes to examine all of a ledger, as `vitrine check` does and opening a small ledger.
    static func measureExaminationHere(_ arguments: ArraySlice<String>) async throws {
        guard let path = arguments.first else { return }
        let ledger = try SQLiteLedger(url: URL(filePath: path))
        var steps = Steps()
        let errors = try await steps.measure("damage()") { try await ledger.damage() }
        precondition(errors.isEmpty)
        report("examining every page, rule, row and checksum: damage(), ms", steps.total)
    }

    /// Prints each figure with its unit.
    static func measureHere(_ arguments: ArraySlice<String>) async throws {
        guard let path = arguments.first else { return }
        let catalog = Shop.catalog
        var steps = Steps()
        let processorBefore = processorSeconds()
        let ledger = try steps.measure("SQLiteLedger.init") { try SQLiteLedger(url: URL(filePath: path)) }
        let summary = try await steps.measure("summary()") { try await ledger.summary() }
        precondition(summary.lastSequence == SampleLedger.entryCount)
        let bare = steps.measure("EntitlementSnapshot.init") {
            EntitlementSnapshot(catalog: nil, summary: summary, at: SampleLedger.lastDate)
        }
        let snapshot = steps.measure("with(catalog:)") { bare.with(catalog: catalog) }
        let processor = processorSeconds() - processorBefore
        report(opening, steps.total)
        report("opening at launch: the processor's time of it, ms", processor * 1_000)
        for step in steps.times { report("opening at launch: \(step.name), ms", step.milliseconds) }
        try Asking.measure(snapshot)
        try Changing.measure(copy snapshot, isHeld: true)
        try Changing.measure(snapshot, isHeld: false)
    }

    static func report(_ name: String, _ value: Double) { print("\(name)=\(value)") }

    /// Steps that follow each other, with the time that each takes.
    private struct Steps {
        private(set) var times: [(name: String, milliseconds: Double)] = []
        var total: Double { times.reduce(0) { $0 + $1.milliseconds } }

        mutating func measure<Value>(_ name: String, _ body: () throws -> Value) rethrows -> Value {
            let start = ContinuousClock.now
            let value = try body()
            times.append((name, start.duration(to: .now).seconds * 1_000))
            return value
        }

        mutating func measure<Value>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
            let start = ContinuousClock.now
            let value = try await body()
            times.append((name, start.duration(to: .now).seconds * 1_000))
            return value
        }
    }
}
