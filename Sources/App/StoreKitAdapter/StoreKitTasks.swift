internal import VitrinePurchasing

/// Runs a function in a task that is not cancelled with the caller's task, because StoreKit lists nothing in a
/// cancelled task.
func uncancelled<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await Task { await body() }.value
}

/// Runs a function in a task that is not cancelled with the caller's task, and limits the time to wait for it. After
/// this time the task is cancelled, and its value is discarded.
///
/// - Parameter limit: Function that returns when the maximum waiting time is over.
/// - Returns: `nil` if the function did not return in time.
func uncancelled<Value: Sendable>(
    until limit: @escaping @Sendable () async -> Void, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let (answers, continuation) = AsyncStream<Value?>.makeStream()
    let work = Task { continuation.yield(await body()) }
    let timer = Task {
        await limit()
        continuation.yield(nil)
    }
    defer {
        timer.cancel()
        work.cancel()
    }
    return await uncancelled { await answers.first { _ in true } ?? nil }
}

/// Runs a throwing function in a task that is not cancelled with the caller's task.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    await Task { try await body() }.result
}

extension Result where Failure == any Error {
    /// Returns the value of a successful result.
    ///
    /// - Throws: `StoreError` that describes the error of StoreKit.
    func getOrStoreError() throws(StoreError) -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw StoreError(error)
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Creates a stream of the elements that a function yields in its own task. The task starts now, and is cancelled
    /// when the stream is no longer read.
    ///
    /// The function creates the sequence of StoreKit that it reads, because not all of StoreKit's sequences are
    /// `Sendable`.
    init(reading body: @escaping @Sendable (_ yield: @escaping @Sendable (Element) -> Void) async -> Void) {
        self.init { continuation in
            let task = Task {
                await body { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
