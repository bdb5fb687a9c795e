internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// In-memory copy of a store in which events are replayed. Its clock follows the dates of the events. The store itself
/// is changed at the end, in one step, and remains unchanged after an error.
struct ReplayStage {
    private let target: StoreCore
    let database: StoreDatabase
    private let clock: ReplayClock
    private var cores: [CoreKey: StoreCore] = [:]

    /// Environment of a process that changes the store.
    private struct CoreKey: Hashable {
        let environment: StoreEnvironment
        let appIdentifier: Int64?
    }

    /// Creates a copy of a store, which must not have purchases.
    ///
    /// - Throws: ``StoreRecordingError``: `notEmpty`, `busy` if the store is being recorded, `storage`.
    init(_ store: SimulatedStore) async throws(StoreRecordingError) {
        target = store.core
        let (core, clock) = (store.core, ReplayClock(Date(milliseconds: 0)))
        self.clock = clock
        let (copy, problem) = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
            let copy = try StoreDatabase(copyOf: core.database)
            let problem = try await copy.write { database in
                _ = try ArmedFailure.deleteAll(database)
                try StoreSettings.change(in: database) { ($0.clock, $0.environment) = (nil, nil) }
                return try Self.problem(in: database)
            }
            return (copy, problem)
        }
        if let problem { throw problem }
        database = copy
    }

    // MARK: Acting

    var seed: StoreSeed { target.seed }
    var bundleIdentifier: String { target.bundleIdentifier }

    /// Returns the copy as a process in the given environment accesses it.
    mutating func core(
        in environment: StoreEnvironment, _ appIdentifier: Int64?
    ) throws(StoreRecordingError) -> StoreCore {
        let key = CoreKey(environment: environment, appIdentifier: appIdentifier)
        if let core = cores[key] { return core }
        do {
            let core = try StoreCore(
                database: database, configuration: target.configuration, environment: environment,
                appIdentifier: appIdentifier, machineNow: { [clock] in clock.now }, sleep: target.sleep)
            cores[key] = core
            return core
        } catch {
            throw StoreRecordingError(.storage, error.reason)
        }
    }

    /// Maximum number of passes over the scheduled changes until a date. One pass is enough, unless more than
    /// ``StoreCore/mostEvents`` changes have the same date, because a store records an action after each pass.
    private static let mostTurns = 3

    /// Sets the clock to a date, and processes the scheduled changes that are due by then.
    ///
    /// - Throws: ``StoreRecordingError`` `refused` if too many changes are due, or the store's certificates have
    ///   expired by the date.
    func advance(to date: Date, of core: StoreCore) async throws(StoreRecordingError) {
        guard date <= core.signingIdentity.validUntil else {
            throw StoreRecordingError(
                .refused,
                "the certificates of the store are not valid after "
                    + core.signingIdentity.validUntil.second
            )
        }
        clock.set(date)
        for _ in 0..<Self.mostTurns {
            let isDone = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
                try await database.write { database in
                    var scope = try StoreTransactionScope(database, core, machineDate: date, latestSignature: 0)
                    return try scope.process(until: scope.date)
                }
            }
            if isDone { return }
        }
        throw StoreRecordingError(
            .refused, "more than \(core.mostEvents) changes would happen until \(date.second)")
    }

    /// Returns the number of transactions and the number of notifications.
    func counts() async throws(StoreRecordingError) -> (transactions: Int, notifications: Int) {
        try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
            try await database.read { database in
                let counts = try ["purchase WHERE NOT isPending", "notification"].map {
                    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0
                }
                return (counts[0], counts[1])
            }
        }
    }

    // MARK: Committing

    /// Replaces the content of the store by the content of this copy. The store's clock is then at the latest date.
    ///
    /// - Parameters:
    ///   - environment: New environment in the settings of the store.
    ///   - appIdentifier: New number of the app in the settings of the store.
    /// - Throws: ``StoreRecordingError``: `notEmpty` or `busy` if the store has changed in the meantime; `storage`.
    func commit(_ environment: StoreEnvironment?, _ appIdentifier: Int64?) async throws(StoreRecordingError) {
        let date = clock.now.milliseconds
        let problem = try await StoreRecordingError.mapping { [target] () async throws(SimulatedStoreError) in
            let tables = try await database.read { database in
                try (["sqlite_sequence"] + Self.tables).map { try TableContent($0, in: database) }
            }
            return try await target.database.write { database -> StoreRecordingError? in
                if let problem = try Self.problem(in: database) { return problem }
                let own = try StoreSettings.fetch(from: database)
                try Self.removeAll(from: database)
                for table in tables { try table.insert(into: database) }
                try StoreSettings.change(in: database) { settings in
                    (settings.clock, settings.notificationURL) = (date, own.notificationURL)
                    (settings.environment, settings.appIdentifier) = (environment, appIdentifier)
                }
                // Without an address, no delivery is scheduled.
                if own.notificationURL == nil {
                    try database.execute(sql: "UPDATE notification SET nextAttempt = NULL")
                }
                return nil
            }
        }
        if let problem { throw problem }
        target.changeSignals.send(())
    }

    /// Tables whose rows are copied to the store, each after the tables to which its rows refer, with notifications
    /// last.
    private static let tables = RecordedTable.all.map(\.name) + ["deviceReceipt", "notification"]

    // MARK: Helpers

    /// Empties all tables whose rows are copied, and resets the counters of their row numbers.
    static func removeAll(from database: Database) throws {
        for table in tables.reversed() { try database.execute(sql: "DELETE FROM \(table)") }
        try database.execute(sql: "DELETE FROM sqlite_sequence")
    }

    /// Returns the reason why events cannot be replayed in a store; `nil` if they can.
    private static func problem(in database: Database) throws -> StoreRecordingError? {
        let counts = try ["customer", "device", "subscription", "notification"].map {
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0
        }
        guard try RecordedAction.transactionCount(in: database) == 0, counts == [1, 1, 0, 0] else {
            return StoreRecordingError(
                .notEmpty, "the store has purchases, or customers or devices besides its first ones")
        }
        guard try !StoreSettings.fetch(from: database).isRecording else {
            return StoreRecordingError(.busy, "the store is recorded now")
        }
        return nil
    }
}

/// All rows of a table.
private struct TableContent: Sendable {
    private let name: String
    private let columns: [String]
    private let rows: [[DatabaseValue]]

    init(_ name: String, in database: Database) throws {
        self.name = name
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM \(name)")
        columns = rows.first.map { Array($0.columnNames) } ?? []
        self.rows = rows.map { Array($0.databaseValues) }
    }

    func insert(into database: Database) throws {
        guard !rows.isEmpty else { return }
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try database.cachedStatement(
            sql: "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))")
        for row in rows { try statement.execute(arguments: StatementArguments(row)) }
    }
}

/// Clock of a store that replays events.
final class ReplayClock: Sendable {
    private let date: Locked<Date>

    init(_ date: Date) { self.date = Locked(date) }

    var now: Date { date.withLock { $0 } }

    func set(_ date: Date) { self.date.withLock { $0 = date } }
}
