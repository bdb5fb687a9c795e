internal import Foundation
internal import NIOCore
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Cache of responses to read-only requests. A response is valid until any process changes the store.
final class ResponseCache: Sendable {
    private struct Entry {
        let state: StoreState
        /// Date from which the response is outdated even if no process changes the store.
        let end: Date
        let body: ByteBuffer
    }

    /// Maximum size of all cached responses in bytes. A response that would exceed it empties the cache first.
    private static let sizeLimit = 64 * 1024 * 1024

    private let entries = Locked<(answers: [String: Entry], size: Int)>(([:], 0))

    /// Returns the cached response to a request; `nil` if there is none for this state of the store.
    ///
    /// - Parameter date: Current date of the machine's clock.
    func answer(to target: String, in state: StoreState, at date: Date) -> ByteBuffer? {
        guard let entry = entries.withLock({ $0.answers[target] }), entry.state == state, date < entry.end else {
            return nil
        }
        return entry.body
    }

    func store(_ body: ByteBuffer, to target: String, in state: StoreState, until end: Date) {
        let size = body.readableBytes + target.utf8.count
        entries.withLock { entries in
            if entries.size + size > Self.sizeLimit { entries = ([:], 0) }
            entries.size += size - (entries.answers[target].map { $0.body.readableBytes + target.utf8.count } ?? 0)
            entries.answers[target] = Entry(state: state, end: end, body: body)
        }
    }
}
