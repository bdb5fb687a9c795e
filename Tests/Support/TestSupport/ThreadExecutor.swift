import Dispatch

/// Executor with a thread of its own, for servers in the process of the tests: tests may block all other threads for
/// longer than the timeouts of clients, while they wait for a process or a browser.
package final class ThreadExecutor: TaskExecutor {
    /// Executor of the answers of all ``LoopbackServer``s.
    static let answers = ThreadExecutor()

    private let queue = DispatchQueue(label: "serving")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
