public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
public import VitrineSupport

/// Result of replaying a recording or the history of a customer.
public struct StoreReplay: Sendable, Hashable {
    /// Number of actions that were repeated.
    public let actionCount: Int
    /// Number of repeated actions of each kind, by the kind's name in recordings.
    public let actionCounts: [String: Int]
    /// Number of transactions in the store after the replay.
    public let transactionCount: Int
    /// Number of notifications that the store has created for the app's server.
    public let notificationCount: Int
    /// Date of the store's virtual clock after the replay.
    public let date: Date
    /// Parts that could not be repeated, each as a sentence without capital letter and period. A recording is always
    /// repeated as a whole; the history of a customer may be repeated only in part.
    public let omissions: [String]
}

extension SimulatedStore {
    /// Repeats the actions of a recording in this store, each at its date. The store then has the same customers,
    /// devices, transactions and subscriptions, and has created the same notifications, except for signatures,
    /// identifiers and dates of signatures. Its virtual clock has the date of the last action.
    ///
    /// The store must have been created from the same `.storekit` file as the recorded store, and must not have
    /// purchases. If the store has a notification address, its notifications are delivered as soon as a server delivers
    /// them; otherwise they are only listed. When the store is opened next, its environment is that of the recorded
    /// store.
    ///
    /// - Throws: ``StoreRecordingError``: `otherApp`; `notEmpty`; `malformed` or `refused`, with the number of the
    ///   first invalid line. After an error, the store is unchanged.
    @discardableResult
    public func replay(_ recording: StoreRecording) async throws(StoreRecordingError) -> StoreReplay {
        guard recording.bundleIdentifier == bundleIdentifier else {
            throw StoreRecordingError(
                .otherApp,
                "the recording is of the app \(recording.bundleIdentifier), the store of \(bundleIdentifier)",
                line: 1)
        }
        var replayer = StoreReplayer(header: recording.header, stage: try await ReplayStage(self))
        try await replayer.load(recording.rows)
        for (line, action) in recording.actions {
            do throws(StoreRecordingError) {
                try await replayer.perform(action)
            } catch {
                throw error.inLine(line)
            }
        }
        return try await replayer.finish(recording.actions.map(\.action))
    }
}

/// Replay of a recording in a copy of a store.
struct StoreReplayer {
    let header: RecordingHeader
    var stage: ReplayStage
    /// Environment of the recorded store after the actions that have been repeated so far.
    private var environment: StoreEnvironment
    private var appIdentifier: Int64?

    init(header: RecordingHeader, stage: ReplayStage) {
        (self.header, self.stage) = (header, stage)
        (environment, appIdentifier) = (header.environment, header.appAppleId)
    }

    /// Inserts the rows that the recorded store had when the recording began into the copy.
    mutating func load(_ rows: [(line: Int, row: RecordingRow)]) async throws(StoreRecordingError) {
        let (header, seed, rate) = (header, stage.seed, try rateOfStore())
        let result = try await StoreRecordingError.mapping { [stage] () async throws(SimulatedStoreError) in
            try await stage.database.write { database -> Result<StoreSettings, StoreRecordingError> in
                try ReplayStage.removeAll(from: database)
                // Set before the rows are inserted: their counter would be too low if transactions with higher numbers
                // were deleted.
                try database.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('purchase', ?)",
                    arguments: [seed.transaction(at: header.transactions)])
                do {
                    for (line, row) in rows { try Self.insert(row, inLine: line, into: database, seed) }
                } catch let error as StoreRecordingError {
                    return .failure(error)
                }
                guard let settings = try StoreSettings.fetchOne(database) else {
                    return .failure(StoreRecordingError(.malformed, "the recording has no settings of the store"))
                }
                try StoreSettings.change(in: database) { settings in
                    (settings.clock, settings.environment) = (nil, nil)
                    settings.timeRate = settings.timeRate ?? (header.rate == rate ? nil : header.rate)
                }
                return .success(settings)
            }
        }
        let settings = try result.get()
        environment = settings.environment ?? header.environment
        appIdentifier = settings.appIdentifier ?? header.appAppleId
    }

    private mutating func rateOfStore() throws(StoreRecordingError) -> TimeRate {
        let configured = try stage.core(in: header.environment, header.appAppleId).configuration.settings.timeRate
        return TimeRate(rawValue: configured) ?? .realTime
    }

    private static func insert(
        _ row: RecordingRow, inLine line: Int, into database: Database, _ seed: StoreSeed
    ) throws {
        guard let table = RecordedTable.all.first(where: { $0.name == row.row }) else {
            throw StoreRecordingError(
                .malformed, "a recording has no rows of \(row.row.debugDescription)", line: line)
        }
        do {
            try table.insert(row.values, into: database, seed)
        } catch let error as StoreRecordingError {
            throw error.inLine(line)
        }
    }

    /// Advances the copy to the date of an action, and repeats the action.
    mutating func perform(_ line: RecordingAction) async throws(StoreRecordingError) {
        let core = try stage.core(
            in: line.environment ?? header.environment, line.environment == nil ? header.appAppleId : line.appAppleId)
        try await stage.advance(to: Date(milliseconds: line.date), of: core)
        do {
            try await perform(line.action, in: core)
        } catch let error as StoreRecordingError {
            throw error
        } catch let error as ServerError {
            throw StoreRecordingError(.refused, error.message)
        } catch {
            throw StoreRecordingError(.refused, "\(error)")
        }
        if case .environment(let environment, let appIdentifier) = line.action {
            (self.environment, self.appIdentifier) = (environment, appIdentifier ?? self.appIdentifier)
        }
        try await check(line)
    }

    /// Checks that the copy has as many transactions after an action as the recorded store had.
    private func check(_ line: RecordingAction) async throws(StoreRecordingError) {
        guard line.action != .time else { return }
        let count = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
            try await stage.database.read { try RecordedAction.transactionCount(in: $0) }
        }
        guard count == line.transactions else {
            throw StoreRecordingError(
                .refused, "the store has \(count) transactions after this action, and had \(line.transactions) before")
        }
    }

    /// Commits the replayed changes to the store.
    func finish(_ actions: [RecordingAction]) async throws(StoreRecordingError) -> StoreReplay {
        let counts = try await stage.counts()
        try await stage.commit(environment, appIdentifier)
        return StoreReplay(
            actionCount: actions.count,
            actionCounts: Dictionary(actions.map { ($0.action.kind.rawValue, 1) }, uniquingKeysWith: +),
            transactionCount: counts.transactions, notificationCount: counts.notifications,
            date: Date(milliseconds: actions.last?.date ?? header.date), omissions: [])
    }
}
