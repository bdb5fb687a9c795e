import Foundation
import Synchronization
import VitrineDeviceExchange

@testable import Vitrine

/// Exchange place in memory that loses, repeats and delays documents as a test sets it.
final class MemoryTransport: ExchangeTransport {
    private struct State {
        var documents: [String: Data] = [:]
        var hidden: Set<String> = []
        var unreadable: Set<String> = []
        var replacement: [String: Data]?
        var isFull = false
        var calls: [String] = []
    }

    private let state = Mutex(State())

    /// Returns the names of the calls since the last time.
    func drainCalls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    var documents: [String: Data] {
        get { state.withLock(\.documents) }
        set { state.withLock { $0.documents = newValue } }
    }

    /// Names of documents that are currently missing from the place.
    var hidden: Set<String> {
        get { state.withLock(\.hidden) }
        set { state.withLock { $0.hidden = newValue } }
    }

    /// Names of documents that are listed, and cannot be read.
    var unreadable: Set<String> {
        get { state.withLock(\.unreadable) }
        set { state.withLock { $0.unreadable = newValue } }
    }

    /// `true` to refuse further documents.
    var isFull: Bool {
        get { state.withLock(\.isFull) }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Has the next storing of a document replace all others, as the app's server replaces documents of its own.
    func replaceWhenStored(by documents: [String: Data]) { state.withLock { $0.replacement = documents } }

    func names() -> [String] {
        state.withLock { state in
            state.calls.append("names")
            return state.documents.keys.filter { !state.hidden.contains($0) }.sorted()
        }
    }

    func document(named name: String) -> Data? {
        state.withLock { state in
            state.calls.append("document")
            return state.hidden.union(state.unreadable).contains(name) ? nil : state.documents[name]
        }
    }

    func store(_ document: Data, named name: String) throws(ExchangeError) {
        guard !isFull else { throw ExchangeError(code: .tooLarge, reason: "the customer has too many facts") }
        state.withLock { state in
            state.calls.append("store")
            if let replacement = state.replacement { (state.documents, state.replacement) = (replacement, nil) }
            state.documents[name] = document
        }
    }

    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        try await body()
    }
}

/// Proof that accepts every entry.
struct Believing: ExchangeProof, ExchangeVerdicts {
    func verdicts(on entries: [LedgerEntry], areSealed: Bool) -> any ExchangeVerdicts { self }

    func verdict(on entry: LedgerEntry) -> ExchangeVerdict { .proved }
}
