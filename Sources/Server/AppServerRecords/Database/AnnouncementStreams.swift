internal import Foundation
internal import VitrineSupport

/// Streams of a database's messages about changed customers within this process.
package final class AnnouncementStreams: Sendable {
    private struct State: Sendable {
        var continuations: [UUID: AsyncStream<DatabaseAnnouncement>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Locked(State())

    /// Maximum number of unread messages of a stream. If messages are dropped, the stream contains
    /// ``DatabaseAnnouncement/missed``.
    private static let most = 1_024

    package init() {}

    /// Returns a stream of the messages from now on.
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
            // The element replaces the oldest unread message.
            continuation.yield(.missed)
        }
    }

    /// Ends all streams; later streams end immediately.
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
