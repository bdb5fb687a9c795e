internal import Foundation
internal import NIOCore
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Answers to requests that only read, kept as long as nothing in the store has changed, whichever process changes it.
final class KeptAnswers: Sendable {
    private struct Entry {
        let state: StoreState
        /// Date at which time alone changes the store.
        let end: Date
        let body: ByteBuffer
    }

    /// Maximum size of all answers, in bytes; when it is reached, the cache begins anew.
    private static let sizeLimit = 64 * 1024 * 1024

    private let entries = Locked<(answers: [String: Entry], size: Int)>(([:], 0))

    /// Returns the answer to a request in a state of the store; `nil` if there is none.
    ///
    /// - Parameter date: Date of the machine.
    func answer(to target: String, in state: StoreState, at date: Date) -> ByteBuffer? {
        guard let entry = entries.withLock({ $0.answers[target] }), entry.state == state, date < entry.end else {
            return nil
        }
        return entry.body
    }

    func keep(_ body: ByteBuffer, to target: String, in state: StoreState, until end: Date) {
        let size = body.readableBytes + target.utf8.count
        entries.withLock { entries in
            if entries.size + size > Self.sizeLimit { entries = ([:], 0) }
            entries.size += size - (entries.answers[target].map { $0.body.readableBytes + target.utf8.count } ?? 0)
            entries.answers[target] = Entry(state: state, end: end, body: body)
        }
    }
}
