internal import VitrinePurchasing

/// Runs a function in a task that is not cancelled with the caller's: in a cancelled task StoreKit lists nothing.
func uncancelled<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await Task { await body() }.value
}

/// Runs a function in a task that is not cancelled with the caller's, and stops waiting for it after a time. The task then
/// runs on, and its value is dropped.
///
/// - Parameter limit: Function that returns when the time is over.
/// - Returns: `nil` if the time was over first.
func uncancelled<Value: Sendable>(
    until limit: @escaping @Sendable () async -> Void, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let (answers, continuation) = AsyncStream<Value?>.makeStream()
    Task { continuation.yield(await body()) }
    let timer = Task {
        await limit()
        continuation.yield(nil)
    }
    defer { timer.cancel() }
    return await uncancelled { await answers.first { _ in true } ?? nil }
}

/// Runs a function that throws in a task that is not cancelled with the caller's.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    await Task { try await body() }.result
}

extension Result where Failure == any Error {
    /// - Throws: `StoreError` for the error of StoreKit.
    func getOrStoreError() throws(StoreError) -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw StoreError(error)
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Creates a stream whose elements a function yields in a task of its own, which begins now and is cancelled when the reader of
    /// the stream is.
    ///
    /// The function makes the sequence of StoreKit that it reads: not all of them are `Sendable`.
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
