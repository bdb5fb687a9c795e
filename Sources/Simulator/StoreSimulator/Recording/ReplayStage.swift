internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Copy of a store in memory in which its past happens again, on a clock that follows the dates of the past. The store
/// itself changes at the end, at once: if anything fails before, it remains as it was.
struct ReplayStage {
    private let target: StoreCore
    let database: StoreDatabase
    private let clock: ReplayClock
    private var cores: [Surroundings: StoreCore] = [:]

    /// Environment in which a process makes changes.
    private struct Surroundings: Hashable {
        let environment: StoreEnvironment
        let appIdentifier: Int64?
    }

    /// Creates the copy of a store without purchases.
    ///
    /// - Throws: ``StoreRecordingError``: `notEmpty`, `busy` if the store is recorded now, `storage`.
    init(_ store: SimulatedStore) async throws(StoreRecordingError) {
        target = store.core
        let (core, clock) = (store.core, ReplayClock(Date(milliseconds: 0)))
        self.clock = clock
        let (copy, problem) = try await Self.mapping { () async throws(SimulatedStoreError) in
            let copy = try StoreDatabase(copyOf: core.database)
            let problem = try await copy.write { database in
                _ = try ArmedFailure.deleteAll(database)
                try Self.changeSettings(in: database) { ($0.clock, $0.environment) = (nil, nil) }
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

    /// Returns the store as a process in an environment has it.
    mutating func core(
        in environment: StoreEnvironment, _ appIdentifier: Int64?
    ) throws(SimulatedStoreError) -> StoreCore {
        let surroundings = Surroundings(environment: environment, appIdentifier: appIdentifier)
        if let core = cores[surroundings] { return core }
        let clock = clock
        let core = try StoreCore(
            database: database, configuration: target.configuration, environment: environment,
            appIdentifier: appIdentifier, machineNow: { clock.now }, sleep: target.sleep)
        cores[surroundings] = core
        return core
    }

    /// Maximum number of times that the scheduled changes until a date are processed. Each time comes from an action of
    /// its own, unless more changes than ``StoreCore/mostEvents`` have the same date.
    private static let mostTurns = 3

    /// Moves the clock to a date, and processes the scheduled changes that are due by then.
    ///
    /// - Throws: ``StoreRecordingError`` `refused` if too many changes are due, or the certificates of the store are
    ///   not valid any more.
    func advance(to date: Date, of core: StoreCore) async throws(StoreRecordingError) {
        guard date <= core.signingIdentity.validUntil else {
            throw StoreRecordingError(
                .refused,
                "the certificates of the store are not valid after "
                    + core.signingIdentity.validUntil.formatted(.iso8601)
            )
        }
        clock.set(date)
        for _ in 0..<Self.mostTurns {
            let isDone = try await Self.mapping { () async throws(SimulatedStoreError) in
                try await database.write { database in
                    var step = try StoreStep(database, core, machineDate: date, latestSignature: 0)
                    return try step.process(until: step.date)
                }
            }
            if isDone { return }
        }
        throw StoreRecordingError(
            .refused, "more than \(core.mostEvents) changes would happen until \(date.formatted(.iso8601))")
    }

    /// Returns the numbers of transactions and notifications.
    func counts() async throws(StoreRecordingError) -> (transactions: Int, notifications: Int) {
        try await Self.mapping { () async throws(SimulatedStoreError) in
            try await database.read { database in
                let counts = try ["purchase WHERE NOT isPending", "notification"].map {
                    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \($0)") ?? 0
                }
                return (counts[0], counts[1])
            }
        }
    }

    // MARK: Committing

    /// Puts the past into the store, whose clock stands at the latest date from now on.
    ///
    /// - Parameters:
    ///   - environment: Environment that the settings of the store get.
    ///   - appIdentifier: Number of the app that the settings of the store get.
    /// - Throws: ``StoreRecordingError``: `notEmpty` or `busy` if the store has changed meanwhile; `storage`.
    func commit(_ environment: StoreEnvironment?, _ appIdentifier: Int64?) async throws(StoreRecordingError) {
        let date = clock.now.milliseconds
        let problem = try await Self.mapping { [target] () async throws(SimulatedStoreError) in
            let tables = try await database.read { database in
                try (["sqlite_sequence"] + Self.tables).map { try TableContent($0, in: database) }
            }
            return try await target.database.write { database -> StoreRecordingError? in
                if let problem = try Self.problem(in: database) { return problem }
                let own = try StoreSettings.fetch(from: database)
                try Self.removeAll(from: database)
                for table in tables { try table.insert(into: database) }
                try Self.changeSettings(in: database) { settings in
                    (settings.clock, settings.notificationURL) = (date, own.notificationURL)
                    (settings.environment, settings.appIdentifier) = (environment, appIdentifier)
                }
                // Without an address, nothing is to be delivered.
                if own.notificationURL == nil {
                    try database.execute(sql: "UPDATE notification SET nextAttempt = NULL")
                }
                return nil
            }
        }
        if let problem { throw problem }
        target.changeSignals.send(())
    }

    /// Tables of which the store gets the rows, each after those to which its rows refer; the notifications are last.
    private static let tables = RecordedTable.all.map(\.name) + ["deviceReceipt", "notification"]

    // MARK: Helpers

    /// Empties all tables of which the store gets the rows, and forgets the numbers that were given to their rows.
    static func removeAll(from database: Database) throws {
        for table in tables.reversed() { try database.execute(sql: "DELETE FROM \(table)") }
        try database.execute(sql: "DELETE FROM sqlite_sequence")
    }

    static func changeSettings(in database: Database, _ body: (inout StoreSettings) -> Void) throws {
        var settings = try StoreSettings.fetch(from: database)
        try settings.updateChanges(database, modify: body)
    }

    /// Returns the reason why a store cannot get another past; `nil` if it can.
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

    static func mapping<Value: Sendable>(
        _ body: () async throws(SimulatedStoreError) -> Value
    ) async throws(StoreRecordingError) -> Value {
        do {
            return try await body()
        } catch {
            throw StoreRecordingError(.storage, error.reason)
        }
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

/// Clock of a store whose past happens again.
final class ReplayClock: Sendable {
    private let date: Locked<Date>

    init(_ date: Date) { self.date = Locked(date) }

    var now: Date { date.withLock { $0 } }

    func set(_ date: Date) { self.date.withLock { $0 = date } }
}
