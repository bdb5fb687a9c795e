internal import Foundation
internal import VitrineSupport

/// Streams of a database's messages about changed customers in this process.
package final class AnnouncementStreams: Sendable {
    private struct State: Sendable {
        var continuations: [UUID: AsyncStream<DatabaseAnnouncement>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Locked(State())

    /// Number of messages that a stream keeps for a reader that is behind. A reader that loses messages is told so with
    /// ``DatabaseAnnouncement/missed`` by the next one that fits.
    private static let most = 1_024

    package init() {}

    /// Returns a stream with the messages from now on.
    package func stream() -> AsyncStream<DatabaseAnnouncement> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DatabaseAnnouncement.self, bufferingPolicy: .bufferingNewest(Self.most))
        let id = UUID()
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.continuations[id] = continuation }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// Sends a message to all streams.
    package func send(_ announcement: DatabaseAnnouncement) {
        for continuation in state.withLock({ Array($0.continuations.values) }) {
            guard case .dropped = continuation.yield(announcement) else { continue }
            // Takes the place of the oldest message that is left.
            continuation.yield(.missed)
        }
    }

    /// Ends all streams, and those that are asked for later.
    package func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: UUID) { state.withLock { $0.continuations[id] = nil } }
}
