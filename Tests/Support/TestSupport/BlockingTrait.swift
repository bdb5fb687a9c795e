import Dispatch
import Foundation
import Synchronization
package import Testing

/// Runs the tests of a suite on threads of their own, because they block their threads, such as while a process runs. The
/// tests of all other suites share one thread for each core.
package struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPool.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests of the suite block their threads.
    package static var blocksThreads: BlockingTrait { BlockingTrait() }
}

/// Executor with as many threads as tests run at a time, and some for their child tasks.
private final class ThreadPool: TaskExecutor {
    static let shared = ThreadPool(count: 32)

    private let jobs = Mutex<[UnownedJob]>([])
    private let available = DispatchSemaphore(value: 0)

    init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true {
                    available.wait()
                    let job = jobs.withLock { $0.removeFirst() }
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        available.signal()
    }
}
