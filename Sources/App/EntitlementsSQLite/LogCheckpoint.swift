internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineSupport

/// Automatic checkpoint of a ledger's write-ahead log after two seconds without a write. Without it, the ledger's file
/// would rarely be complete without the log, because an app is usually killed instead of closed.
final class LogCheckpoint: Sendable {
    private struct State {
        /// Number of writes to the ledger so far.
        var writes = 0
        var waiting: Task<Void, Never>?
    }

    private let database: DatabaseQueue
    private let lockTimeout: TimeInterval
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Locked(State())

    /// Time without a write to the ledger after which the content of the write-ahead log is written into the ledger's
    /// file.
    private static let quietTime = Duration.seconds(2)

    /// Creates the checkpoint of a ledger's database.
    ///
    /// - Parameter lockTimeout: Maximum time to wait for the lock of another process, in seconds.
    init(
        _ database: DatabaseQueue, lockTimeout: TimeInterval,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.database = database
        self.lockTimeout = lockTimeout
        self.sleep = sleep
    }

    deinit { state.withLock { $0.waiting?.cancel() } }

    /// Counts a write to the ledger, and schedules the next checkpoint.
    func noteWrite() {
        state.withLock { state in
            state.writes += 1
            guard state.waiting == nil else { return }
            state.waiting = Task { [weak self, sleep, writes = state.writes] in
                var known: Int? = writes
                while let last = known {
                    do {
                        try await sleep(Self.quietTime)
                    } catch {
                        return
                    }
                    known = await self?.checkpoint(ifUnchangedSince: last)
                }
            }
        }
    }

    /// Writes the content of the write-ahead log into the ledger's file, unless the ledger was written during a wait.
    ///
    /// - Parameter writes: Number of writes to the ledger before the wait.
    /// - Returns: Current number of writes if the ledger was written during the wait; otherwise `nil`.
    private func checkpoint(ifUnchangedSince writes: Int) async -> Int? {
        let now = state.withLock { state -> Int? in
            guard state.writes == writes else { return state.writes }
            state.waiting = nil
            return nil
        }
        if now == nil { await checkpoint() }
        return now
    }

    /// Writes the content of the write-ahead log into the ledger's file and empties the log, unless another process
    /// uses the ledger.
    func checkpoint() async {
        do {
            try await database.writeWithoutTransaction { [lockTimeout] database in
                try database.checkInPlace()
                // The checkpoint does not wait for other processes, because the last one that closes the ledger makes a
                // checkpoint too.
                _ = try database.withoutWaiting(lockTimeout: lockTimeout) { try database.checkpoint(.truncate) }
            }
        } catch {
            // The error is ignored: the log is as durable as the file, and the next checkpoint writes it into the file.
        }
    }
}
