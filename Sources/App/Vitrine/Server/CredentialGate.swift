/// Gate through which the changes of the credentials of a manager's devices pass one at a time. Two concurrent
/// enrollments would make two keys, and of two concurrent renewals each would end the other's token.
actor CredentialGate {
    private var last: Task<Void, Never>?

    /// Calls a function after all earlier ones have returned. The cancellation of the caller cancels the function.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(AppServerError) -> Value
    ) async throws(AppServerError) -> Value {
        let before = last
        let task = Task { () async -> Result<Value, AppServerError> in
            await before?.value
            do throws(AppServerError) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
    }
}
