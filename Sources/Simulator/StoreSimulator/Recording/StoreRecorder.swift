package import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// Recorder that writes the actions in a store to a file. The store collects the actions of all processes until
/// ``append()`` moves them to the file.
///
/// A recording continues without a recorder, until ``endRecording(of:)``: the next recorder with the same file appends
/// the actions that happened in between.
package final class StoreRecorder: Sendable {
    private struct Position {
        /// Length of the file in bytes, up to the last action that is on the disk.
        var length: Int
        /// Number of the last action that is on the disk; 0 if there is none.
        var number: Int64
    }

    private let store: SimulatedStore
    private let file: URL
    private let header: RecordingHeader
    private let lock: FolderLock?
    private let position: Locked<Position>

    /// Maximum number of actions that are read from the store at once.
    private static let batchSize = 1_000

    /// Begins to record a store to a new file, or continues the recording in an existing file.
    ///
    /// - Throws: ``StoreRecordingError``: `otherRecording` if the file exists and is not the store's recording in
    ///   progress; `busy` if another process records the store; `storage`.
    package init(_ store: SimulatedStore, to file: URL) async throws(StoreRecordingError) {
        guard let lock = try Self.lock(store) else {
            throw StoreRecordingError(.busy, "another process records the store")
        }
        (self.store, self.file, self.lock) = (store, file, lock.lock)
        if let found = try RecordingFile.find(file) {
            header = found.header
            position = Locked(Position(length: found.length, number: found.number))
            let (identifier, last) = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
                (try await store.recordingIdentifier, try await store.lastRecordedNumber())
            }
            guard identifier == found.header.id, found.number <= last else { throw Self.isAnother(file) }
        } else {
            let lines = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
                try await store.beginRecording()
            }
            header = try RecordingHeader(lines.first ?? Data())
            position = Locked(Position(length: try RecordingFile.create(file, with: lines), number: 0))
        }
        try await append()
    }

    /// Moves the actions that were recorded until now to the file, and waits until they are on the disk.
    ///
    /// - Throws: ``StoreRecordingError`` `storage` if the file cannot be written: the actions remain in the store, and
    ///   a later call moves them; `otherRecording` if another process has changed the file.
    package func append() async throws(StoreRecordingError) {
        while true {
            let before = position.withLock { $0 }
            let actions = try await StoreRecordingError.mapping { [store] () async throws(SimulatedStoreError) in
                try await store.recordedActions(after: before.number, upTo: Self.batchSize)
            }
            guard let last = actions.last else { break }
            guard actions.first?.number == before.number + 1 else { throw Self.isAnother(file) }
            let length = try RecordingFile.append(lines(about: actions), to: file, at: before.length)
            position.withLock { $0 = Position(length: length, number: last.number) }
        }
        let number = position.withLock { $0.number }
        try await StoreRecordingError.mapping { [store] () async throws(SimulatedStoreError) in
            try await store.removeRecordedActions(upTo: number)
        }
    }

    /// Moves all actions to the file, and records the current date of the store, so that a store that replays the
    /// recording ends at that date.
    package func finish() async throws(StoreRecordingError) {
        try await StoreRecordingError.mapping { [store] () async throws(SimulatedStoreError) in
            try await store.recordTime()
        }
        try await append()
    }

    /// Ends the recording in progress of a store, unless a process is recording the store.
    package static func endRecording(of store: SimulatedStore) async throws(StoreRecordingError) {
        let identifier = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
            try await store.recordingIdentifier
        }
        guard identifier != nil, let lock = try lock(store) else { return }
        try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in try await store.endRecording() }
        withExtendedLifetime(lock) {}
    }

    private func lines(about actions: [RecordedAction]) throws(StoreRecordingError) -> [Data] {
        do {
            let encoder = JSONEncoder.recording
            return try actions.map { try encoder.encode(RecordingAction($0, in: header)) }
        } catch {
            throw StoreRecordingError(.storage, "the store has recorded an action that cannot be read")
        }
    }

    private static func isAnother(_ file: URL) -> StoreRecordingError {
        StoreRecordingError(.otherRecording, "\(file.relativePath) is not the recording of this store that goes on")
    }

    /// Right of a process to record a store: a lock, or no lock for a store in memory.
    private struct Right {
        let lock: FolderLock?
    }

    /// Acquires the right to record a store.
    ///
    /// - Returns: `nil` if another process records the store.
    private static func lock(_ store: SimulatedStore) throws(StoreRecordingError) -> Right? {
        guard let folder = store.core.layout?.recording else { return Right(lock: nil) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try FolderLock.ifFree(folder).map { Right(lock: $0) }
        } catch {
            throw StoreRecordingError(
                .storage, "the store's folder for recordings cannot be used: \(BoundedFile.reason(for: error))")
        }
    }
}
