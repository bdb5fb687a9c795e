public import Dispatch

/// Group commit: requests that arrive while another commit is in progress are committed together. Each caller receives
/// the answer to its own request after the commit has ended.
///
/// A request that arrives while there is none is committed on the thread of its caller, if the database allows that: two
/// changes between threads would take as long as the commit itself.
///
/// The type is public, although only this package uses it, because the compiler emits the bodies of `@inlinable` members
/// only for public types. Without them, its callers look up the types of requests and answers at each call, which takes
/// a tenth of the processor time of a recorded purchase.
public final class GroupCommit<Request: Sendable, Answer: Sendable>: Sendable {
    /// Function that commits a group of requests, and returns one answer for each of them, in the same order.
    public typealias Commit = (_ group: [Request]) -> [Answer]
    /// Function that commits a request on the thread of its caller, and returns the answer; `nil` if it would have to wait
    /// for another process, and has not committed anything.
    public typealias CommitInPlace = @Sendable (_ request: Request) -> Answer?

    @usableFromInline struct Caller: Sendable {
        @usableFromInline let request: Request
        @usableFromInline let continuation: CheckedContinuation<Answer, Never>

        @inlinable init(request: Request, continuation: CheckedContinuation<Answer, Never>) {
            self.request = request
            self.continuation = continuation
        }
    }

    @usableFromInline struct Waiting: Sendable {
        @usableFromInline var callers: [Caller] = []
        @usableFromInline var isCommitting = false
        /// Number of waiting callers at which the pause between two commits ends early; `nil` while there is no pause.
        @usableFromInline var enough: Int?

        @inlinable init() {}
    }

    @usableFromInline let commitInPlace: CommitInPlace
    @usableFromInline let schedule: @Sendable (_ turn: @escaping @Sendable (Commit) -> Void) -> Void
    @usableFromInline let waiting = Locked(Waiting())
    /// Semaphore that is signaled to end a pause between two commits early, when enough callers are waiting.
    @usableFromInline let endOfPause = DispatchSemaphore(value: 0)

    /// Maximum number of requests in one commit. The limit is needed because a commit locks the database for other
    /// processes too.
    @inlinable static var mostRequests: Int { 256 }

    /// Maximum pause between two commits.
    @inlinable static var longestPause: Duration { .milliseconds(1) }

    /// Creates a group commit for a database.
    ///
    /// - Parameters:
    ///   - commitInPlace: Function that commits a request while no other one is committed. By default, every request is
    ///     committed on the queue of the database.
    ///   - schedule: Function that schedules its argument on the serial queue of the database. The argument
    ///     is a closure that is then called with the function that commits a group of requests. Between two scheduled
    ///     closures, the database can be read.
    @inlinable package init(
        inPlace commitInPlace: @escaping CommitInPlace = { _ in nil },
        _ schedule: @escaping @Sendable (_ turn: @escaping @Sendable (Commit) -> Void) -> Void
    ) {
        (self.commitInPlace, self.schedule) = (commitInPlace, schedule)
    }

    /// Commits a request, together with other waiting requests, and returns the answer to it.
    ///
    /// The function never runs on the actor of its caller, so that no user interface waits for the disk.
    @concurrent @inlinable package func answer(to request: Request) async -> Answer {
        await withCheckedContinuation { continuation in
            let caller = Caller(request: request, continuation: continuation)
            let (isAlone, endsPause) = waiting.withLock { waiting in
                guard waiting.isCommitting else {
                    waiting.isCommitting = true
                    return (true, false)
                }
                waiting.callers.append(caller)
                let endsPause = waiting.enough.map { waiting.callers.count >= $0 } ?? false
                if endsPause { waiting.enough = nil }
                return (false, endsPause)
            }
            if isAlone { commitAlone(caller) }
            if endsPause { endOfPause.signal() }
        }
    }

    /// Commits the only request on the thread of its caller or, if that is not possible, on the queue of the database.
    @inlinable func commitAlone(_ caller: Caller) {
        guard let answer = commitInPlace(caller.request) else {
            waiting.withLock { $0.callers.append(caller) }
            return commitNext()
        }
        caller.continuation.resume(returning: answer)
        commitNextIfAny()
    }

    /// Commits the waiting requests on the queue of the database, then those that have arrived in the meantime.
    @inlinable func commitNext() {
        schedule { commit in
            var callers = 0
            let duration = ContinuousClock().measure {
                let group = self.waiting.withLock { waiting in
                    let group = Array(waiting.callers.prefix(Self.mostRequests))
                    waiting.callers.removeFirst(group.count)
                    return group
                }
                let answers = commit(group.map(\.request))
                callers = group.count + self.waiting.withLock { $0.callers.count }
                for (caller, answer) in zip(group, answers) { caller.continuation.resume(returning: answer) }
            }
            if callers > 1 { self.pause(for: min(duration / 4, Self.longestPause), untilAsMany: callers) }
            self.commitNextIfAny()
        }
    }

    /// Ends a commit: commits the requests that have arrived in the meantime.
    @inlinable func commitNextIfAny() {
        let isDone = waiting.withLock { waiting in
            waiting.isCommitting = !waiting.callers.isEmpty
            return !waiting.isCommitting
        }
        if !isDone { commitNext() }
    }

    /// Pauses after a commit, because callers that have just received their answers may send further requests, which
    /// can then be committed together. The pause ends when `callers` callers are waiting, or after `duration`.
    @inlinable func pause(for duration: Duration, untilAsMany callers: Int) {
        let enough = min(callers, Self.mostRequests)
        let isPause = waiting.withLock { waiting in
            guard waiting.callers.count < enough else { return false }
            waiting.enough = enough
            return true
        }
        guard isPause else { return }
        guard endOfPause.wait(timeout: .now() + duration / .seconds(1)) == .timedOut else { return }
        let isSignaled = waiting.withLock { waiting in
            defer { waiting.enough = nil }
            return waiting.enough == nil
        }
        // A signal that has just missed the end of this pause must not end the next one.
        if isSignaled { endOfPause.wait() }
    }
}
