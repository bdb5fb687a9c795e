internal import Crypto
internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Recordings in the database of the store.
extension SimulatedStore {
    /// Begins a new recording of the store, which replaces a recording in progress.
    ///
    /// - Returns: The first lines of the recording: the header, and the present rows of the store.
    func beginRecording() async throws(SimulatedStoreError) -> [Data] {
        let (identifier, salt) = (UUID(), SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
        return try await core.perform { scope in
            try scope.database.execute(sql: "DELETE FROM action")
            try scope.database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'action'")
            try RecordingRecord(identifier: identifier, salt: salt).upsert(scope.database)
            try scope.changeSettings { $0.isRecording = true }
            return try scope.firstLines(of: identifier, Pseudonyms(scope, salt: salt))
        }
    }

    /// Ends the recording in progress, and removes the actions that are not yet in its file.
    func endRecording() async throws(SimulatedStoreError) {
        guard try await core.database.settings().isRecording else { return }
        try await core.perform { scope in
            try scope.changeSettings { $0.isRecording = false }
            try scope.database.execute(sql: "DELETE FROM recording")
            try scope.database.execute(sql: "DELETE FROM action")
        }
    }

    /// UUID of the recording in progress; `nil` if the store is not recorded.
    var recordingIdentifier: UUID? {
        get async throws(SimulatedStoreError) {
            try await core.database.read {
                try RecordingRecord.fetchOne($0).flatMap { UUID(uuidString: $0.identifier) }
            }
        }
    }

    /// Records an action that marks the current date of the store.
    func recordTime() async throws(SimulatedStoreError) { try await core.perform { try $0.record { _ in .time } } }

    /// Returns recorded actions that are not yet in the file, in their order.
    ///
    /// - Parameter number: Number of the action before the first returned one.
    func recordedActions(after number: Int64, upTo count: Int) async throws(SimulatedStoreError) -> [RecordedAction] {
        try await core.database.read { database in
            try RecordedAction.fetchAll(
                database.cachedStatement(sql: "SELECT * FROM action WHERE id > ? ORDER BY id LIMIT ?"),
                arguments: [number, count])
        }
    }

    /// Returns the number of the last recorded action, whether or not it is already in the file.
    func lastRecordedNumber() async throws(SimulatedStoreError) -> Int64 {
        try await core.database.read {
            try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'action'") ?? 0
        }
    }

    /// Removes the recorded actions up to a number, which are in the file.
    func removeRecordedActions(upTo number: Int64) async throws(SimulatedStoreError) {
        try await core.database.write {
            try $0.execute(sql: "DELETE FROM action WHERE id <= ?", arguments: [number])
        }
    }
}

extension StoreTransactionScope {
    fileprivate func firstLines(of identifier: UUID, _ pseudonyms: Pseudonyms) throws -> [Data] {
        let encoder = JSONEncoder.recording
        let header = RecordingHeader(
            id: identifier, bundleIdentifier: core.bundleIdentifier, environment: core.environment,
            appIdentifier: core.appIdentifier, rate: rate, date: date.milliseconds,
            transactions: core.seed.place(of: try nextPurchaseNumber() - 1))
        var lines = [try encoder.encode(header)]
        for table in RecordedTable.all {
            for values in try table.rows(in: database, pseudonyms) {
                lines.append(try encoder.encode(RecordingRow(row: table.name, values: values)))
            }
        }
        return lines
    }
}
