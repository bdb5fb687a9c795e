internal import Dispatch
internal import VitrineSupport

/// Executor with its own threads, which run the calls of a synchronous API while the callers wait. Swift's own executor
/// is not used, because all of its threads may be waiting.
final class WaitingExecutor: TaskExecutor {
    private static let shared = WaitingExecutor()

    private let queue = DispatchQueue(label: "OpenStoreKitTest", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs an asynchronous function, and blocks the calling thread until it ends.
    ///
    /// - Throws: The error of the function.
    static func wait<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let semaphore = DispatchSemaphore(value: 0)
        Task(executorPreference: shared) {
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            semaphore.signal()
        }
        while true {
            semaphore.wait()
            if let outcome = result.withLock({ $0 }) { return try outcome.get() }
        }
    }
}
