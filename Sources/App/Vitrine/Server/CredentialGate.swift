/// Gate through which the changes of the credentials of a manager's devices pass one at a time. Two concurrent
/// enrollments would make two keys, and of two concurrent renewals each would end the other's token.
actor CredentialGate {
    private var last: Task<Void, Never>?

    /// Calls a function after all earlier ones have returned. The cancellation of the caller ends its wait, and cancels
    /// the function.
    ///
    /// - Throws: ``AppServerError``: that of the function, or `connection` if the caller is canceled while it waits.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(AppServerError) -> Value
    ) async throws(AppServerError) -> Value {
        let (turn, isTurn) = AsyncStream<Never>.makeStream()
        let task = Task { () async -> Result<Value, AppServerError> in
            for await _ in turn {}
            guard !Task.isCancelled else {
                return .failure(AppServerError(code: .connection, reason: "the request was canceled"))
            }
            do throws(AppServerError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        last = Task { [last] in
            await last?.value
            isTurn.finish()
            _ = await task.value
        }
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
    }
}
