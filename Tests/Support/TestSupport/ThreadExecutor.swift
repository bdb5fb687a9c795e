import Dispatch

/// Runs tasks on a thread of its own: tests may keep all others waiting, for a process that waits for an answer.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    private let queue = DispatchQueue(label: "answers")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
