#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import Dispatch
    internal import VitrineSupport

    /// Request to run statements in PostgreSQL.
    struct PostgreSQLRequest: Sendable {
        enum Kind: CaseIterable {
            /// Statement that only reads, and can be repeated after a failure.
            case read
            /// Statements that may share a transaction with statements of other callers.
            case write
            /// Steps that are rolled back if one of them changes a different number of rows than required.
            case transaction
        }

        /// Results of the steps; `nil` if one of them changed a different number of rows than required.
        typealias Answer = Result<[PostgreSQLAnswer]?, DatabaseError>

        let kind: Kind
        let steps: [SQLStep]
        let since = ContinuousClock().now
        let answer: @Sendable (Answer) -> Void
    }

    /// Queue of requests for the threads with connections.
    final class PostgreSQLQueue: Sendable {
        private struct State: Sendable {
            var requests: [PostgreSQLRequest.Kind: [PostgreSQLRequest]] = [:]
            var count = 0
            /// Number of threads that wait for requests.
            var idle = 0
            var isClosed = false
        }

        private let state = Locked(State())
        private let most: Int
        /// Semaphore that is signaled once for each thread to be woken.
        private let wakes = DispatchSemaphore(value: 0)
        /// Semaphore that is signaled when the queue is closed, and again by each thread that has noticed it.
        private let end = DispatchSemaphore(value: 0)

        /// Maximum number of requests that a thread takes from the queue at once.
        private static let mostTaken = 64

        /// - Parameter most: Maximum number of waiting requests.
        init(most: Int) { self.most = most }

        /// Error of requests after the queue was closed.
        static let closed = DatabaseError(code: .unavailable, reason: "the database is closed")

        /// Adds a request, and returns its result.
        func answer(_ kind: PostgreSQLRequest.Kind, _ steps: [SQLStep]) async -> PostgreSQLRequest.Answer {
            await withCheckedContinuation { (continuation: CheckedContinuation<PostgreSQLRequest.Answer, Never>) in
                add(PostgreSQLRequest(kind: kind, steps: steps) { continuation.resume(returning: $0) })
            }
        }

        private func add(_ request: PostgreSQLRequest) {
            var error: DatabaseError?
            let wakesThread = state.withLock { state in
                guard !state.isClosed, state.count < most else {
                    error = state.isClosed ? Self.closed : Self.busy
                    return false
                }
                state.requests[request.kind, default: []].append(request)
                state.count += 1
                guard state.idle > 0 else { return false }
                state.idle -= 1
                return true
            }
            if let error { request.answer(.failure(error)) }
            if wakesThread { wakes.signal() }
        }

        private static let busy = DatabaseError(code: .unavailable, reason: "too many requests wait for PostgreSQL")

        /// Waits for requests and returns those that the calling thread must run, all of the same kind; `nil` once the
        /// queue is closed.
        func next() -> [PostgreSQLRequest]? {
            while true {
                let (isClosed, taken) = state.withLock { state in
                    let taken = Self.dequeue(from: &state)
                    if taken == nil, !state.isClosed { state.idle += 1 }
                    return (state.isClosed, taken)
                }
                if isClosed { return nil }
                if let taken { return taken }
                wakes.wait()
            }
        }

        private static func dequeue(from state: inout State) -> [PostgreSQLRequest]? {
            let first = state.requests.values.compactMap(\.first).min { $0.since < $1.since }
            guard !state.isClosed, let kind = first?.kind, let waiting = state.requests[kind] else { return nil }
            let count =
                switch kind {
                // Writes share the cost of a commit, but reads in one batch would only delay each other.
                case .read: (waiting.count + state.idle) / (state.idle + 1)
                case .write: waiting.count
                // The batch is small, because a transaction that fails its required count makes all of them run again.
                case .transaction: min(waiting.count, 16)
                }
            let taken = Array(waiting.prefix(min(count, mostTaken)))
            state.requests[kind]?.removeFirst(taken.count)
            state.count -= taken.count
            return taken
        }

        /// Waits for a duration.
        ///
        /// - Returns: `false` if the queue is closed.
        func pause(for duration: Duration) -> Bool {
            guard end.wait(timeout: .now() + duration / .seconds(1)) == .success else { return true }
            end.signal()
            return false
        }

        /// `true` once the queue is closed.
        var isClosed: Bool { state.withLock { $0.isClosed } }

        /// Closes the queue: each thread ends after its current requests, and the requests in the queue fail.
        func close() {
            let (idle, left) = state.withLock { state in
                state.isClosed = true
                defer { (state.idle, state.count, state.requests) = (0, 0, [:]) }
                return (state.idle, state.requests.values.flatMap { $0 })
            }
            end.signal()
            for _ in 0..<idle { wakes.signal() }
            for request in left { request.answer(.failure(Self.closed)) }
        }
    }
#endif
