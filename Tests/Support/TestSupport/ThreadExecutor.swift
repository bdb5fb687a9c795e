import Dispatch

/// Executor with a thread of its own, because tests may block all other threads while they wait for a process.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private let queue = DispatchQueue(label: "answers")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
