import CDiskSync
import CSQLiteFloor
import Foundation
import Measuring
import VitrineEntitlements
import VitrineEntitlementsSQLite

/// Purchases of coins, each with its credit, that are on the disk before they are answered: by the ledger, and by SQLite
/// alone with the ledger's statements in a file that the ledger has made, with its indexes and triggers, and without
/// computing checksums.
enum Writing {
    private static let rounds = 5
    private static let writers = 64
    private static let signedData = String(repeating: "eyJhbGciOiJFUzI1NiIsIng1YyI6", count: 22).prefix(600)

    private enum Contender: String, CaseIterable {
        case ledgerAlone, sqliteAlone, ledgerTogether, sqliteTogether

        var description: String {
            switch self {
            case .ledgerAlone: "ledger, one at a time"
            case .sqliteAlone: "SQLite alone, one at a time"
            case .ledgerTogether: "ledger, \(writers) tasks at once"
            case .sqliteTogether: "SQLite alone, \(writers) in each transaction"
            }
        }
    }

    private struct Disk {
        let description: String
        let delay: Int
        /// How many purchases are recorded one at a time, and how many together.
        let alone: Int
        let together: Int
    }

    static func compare(in folder: URL, _ targets: inout Targets) throws {
        let disks = [
            Disk(description: "this machine's disk", delay: 0, alone: 12_800, together: 12_800),
            Disk(
                description: "the same disk with 2 ms more for each time that it has to make something durable",
                delay: 2_000, alone: 512, together: 12_800),
        ]
        for disk in disks {
            var figures = Dictionary(uniqueKeysWithValues: Contender.allCases.map { ($0, Figures()) })
            for _ in 0..<rounds {
                for contender in Contender.allCases {
                    let isAlone = contender == .ledgerAlone || contender == .sqliteAlone
                    let purchases = isAlone ? disk.alone : disk.together
                    let file = folder.appending(path: UUID().uuidString).path(percentEncoded: false)
                    try figures[contender, default: Figures()].addRun(
                        ["--measure-writing", contender.rawValue, "\(purchases)", "\(disk.delay)", file])
                }
            }
            print("Durable purchases with their credits, on \(disk.description)")
            for contender in Contender.allCases {
                guard let figures = figures[contender] else { continue }
                print(
                    "  \(column(contender.description, width: 36))", formatted(figures["rate"], digits: 0), "a second,",
                    formatted(1e6 / figures["rate"], digits: 1), "µs each,",
                    formatted(figures["processor"], digits: 1), "µs of a processor,",
                    formatted(figures["syncs"], digits: 3), "syncs of the disk for each")
            }
            func ratio(_ one: Contender, _ other: Contender) -> String {
                formatted((figures[one]?["rate"] ?? .nan) / (figures[other]?["rate"] ?? .nan))
            }
            print("  one at a time, the ledger is \(ratio(.ledgerAlone, .sqliteAlone))× as fast as SQLite alone")
            print("  with \(writers) at once, \(ratio(.ledgerTogether, .sqliteTogether))× as fast as SQLite alone")
            print("  with \(writers) at once, \(ratio(.ledgerTogether, .ledgerAlone))× as fast as one at a time")
            // What takes no processor time hides what the ledger adds.
            guard disk.delay == 0 else { continue }
            func ratios(_ name: String, _ one: Contender, _ other: Contender) -> [Double] {
                figures[other].flatMap { figures[one]?.ratios(name, to: $0) } ?? []
            }
            targets.check(
                "one at a time, processor time against SQLite alone",
                ratios("processor", .ledgerAlone, .sqliteAlone), .atMost(1.35))
            targets.check(
                "\(writers) at once, purchases a second against SQLite alone with \(writers) in each transaction",
                ratios("rate", .ledgerTogether, .sqliteTogether), .atLeast(0.75))
        }
    }

    /// Prints how many purchases there were a second, and how often each needed the disk.
    static func measureHere(_ arguments: ArraySlice<String>) async throws {
        let arguments = Array(arguments)
        guard arguments.count == 4, let contender = Contender(rawValue: arguments[0]),
            let purchases = Int(arguments[1]), let delay = UInt32(arguments[2])
        else { return }
        let file = URL(filePath: arguments[3])
        let ledger = try SQLiteLedger(url: file)
        disk_sync_set_delay(delay)
        let syncsBefore = disk_sync_count()
        var processor = 0.0
        let seconds =
            switch contender {
            case .ledgerAlone: try await record(purchases, tasks: 1, in: ledger, &processor)
            case .ledgerTogether: try await record(purchases, tasks: writers, in: ledger, &processor)
            case .sqliteAlone:
                floor_record_purchases(
                    file.path(percentEncoded: false), Int32(purchases), 1, String(signedData), &processor)
            case .sqliteTogether:
                floor_record_purchases(
                    file.path(percentEncoded: false), Int32(purchases), Int32(writers), String(signedData), &processor)
            }
        let syncs = disk_sync_count() - syncsBefore
        disk_sync_set_delay(0)
        precondition(seconds > 0)
        switch contender {
        case .ledgerAlone, .ledgerTogether:
            let summary = try await ledger.summary()
            precondition(summary.lastSequence == 2 * purchases && summary.balances == ["coins": 50 * purchases])
        case .sqliteAlone, .sqliteTogether: break  // The floor examines its result itself.
        }
        print("rate=\(Double(purchases) / seconds)")
        print("processor=\(processor * 1e6 / Double(purchases))")
        print("syncs=\(Double(syncs) / Double(purchases))")
    }

    /// - Parameter processor: Receives the seconds of all processors.
    /// - Returns: The seconds.
    private static func record(
        _ purchases: Int, tasks: Int, in ledger: SQLiteLedger, _ processor: inout Double
    ) async throws -> Double {
        let processorBefore = processorSeconds()
        defer { processor = processorSeconds() - processorBefore }
        return try await ContinuousClock().measure {
            try await withThrowingTaskGroup { group in
                for task in 0..<tasks {
                    group.addTask {
                        for index in stride(from: task, to: purchases, by: tasks) {
                            let entries = try await ledger.append(purchase(index), at: date(index))
                            precondition(entries.count == 2)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }.seconds
    }

    private static func date(_ index: Int) -> Date {
        Date(timeIntervalSince1970: 1_790_000_000 + Double(index) / 1_000)
    }

    private static func purchase(_ index: Int) -> [Fact] {
        let key = "20000\(String(10_000_000_000 + index).dropFirst())"
        return Fact.coins(
            key, of: "com.example.shop.coins50", amount: 50, wallet: "coins", at: date(index),
            signedData: String(signedData))
    }
}
