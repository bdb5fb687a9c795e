internal import VitrineReceipts
internal import VitrineSupport

/// Limit for the time that calls of the manager wait for hooks of the app.
///
/// A hook is a function of the app that the manager awaits: a hook of ``AppHooks``, the verification of a single call,
/// the receipt verifier, and the function that decides about downloads. A load, a restore, a delivery of all
/// transactions, and the end of the manager wait for a hook until the limit has passed since the first of them began to
/// wait for it, and then go on without it. Until this hook has ended, they wait for no other hook of its kind either.
/// The hook is not canceled, and its result counts whenever it arrives.
public struct HookLimit: Sendable {
    /// Longest time that a call waits for a hook that holds it up.
    public var duration: Duration
    /// Function that waits for a duration.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        duration: Duration = .seconds(30),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.duration = duration
        self.sleep = sleep
    }
}

/// Calls of the app's hooks that are in progress.
///
/// A hook holds up the work that has called it, such as the delivery of a transaction. If a hook calls the manager,
/// and that call waited for the same work, neither would ever end. A call within a hook therefore waits for no such
/// work (``isInside``), and every other call waits for a hook only within a limit.
package final class HookCalls: Sendable {
    /// Hook by the work that it holds up.
    package enum Hook: Sendable, Hashable {
        /// Verification or delivery of a transaction.
        case transaction(String)
        case receipt
        /// Decision whether content may be downloaded.
        case download

        fileprivate func isOfKind(of other: Hook) -> Bool {
            switch (self, other) {
            case (.transaction, .transaction), (.receipt, .receipt), (.download, .download): true
            default: false
            }
        }
    }

    /// Call of a hook, as the task in which the hook runs sees it.
    private final class Call: Sendable {
        let number: Int
        let hook: Hook
        let calls: HookCalls
        /// Call of another hook within which this one is made.
        let outer: Call?

        init(number: Int, hook: Hook, calls: HookCalls, outer: Call?) {
            self.number = number
            self.hook = hook
            self.calls = calls
            self.outer = outer
        }

        /// This call or, if it has ended, the innermost call around it that has not.
        var running: Call? { calls.isRunning(number) ? self : outer?.running }
    }

    private struct RunningCall {
        let hook: Hook
        /// Timer of the limit, which starts as soon as another call waits for the hook.
        var timer: Task<Void, Never>?
        var isOverdue = false
    }

    private struct Waiter {
        let isHeldUp: @Sendable (Hook) -> Bool
        let release: @Sendable () -> Void
    }

    private struct State {
        var lastNumber = 0
        var running: [Int: RunningCall] = [:]
        var waiters: [Int: Waiter] = [:]

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// Returns `true` if work is held up by a hook, and the limit for hooks of this kind has passed. The limit is
        /// one for all hooks of a kind, so that several of them do not add up.
        func isOverdue(_ isHeldUp: (Hook) -> Bool) -> Bool {
            running.values.contains { call in
                isHeldUp(call.hook) && running.values.contains { $0.isOverdue && $0.hook.isOfKind(of: call.hook) }
            }
        }
    }

    @TaskLocal private static var current: Call?

    private let limit: HookLimit
    private let state = Locked(State())

    package init(limit: HookLimit) { self.limit = limit }

    // MARK: Calling hooks

    /// Calls a hook.
    package func run<Value: Sendable>(_ hook: Hook, _ body: () async -> Value) async -> Value {
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.running[number] = RunningCall(hook: hook)
            return number
        }
        defer { state.withLock { $0.running.removeValue(forKey: number) }?.timer?.cancel() }
        settle()
        let call = Call(number: number, hook: hook, calls: self, outer: Self.current?.running)
        return await Self.$current.withValue(call) { await body() }
    }

    /// Returns a verification that counts as a call of a hook.
    package func counting(_ verification: @escaping TransactionVerification) -> TransactionVerification {
        { [self] transaction in
            await run(.transaction(transaction.payload.transactionID)) { await verification(transaction) }
        }
    }

    /// Returns hooks whose calls count.
    package func counting(_ hooks: AppHooks) -> AppHooks {
        AppHooks(
            verification: hooks.verification.map(counting),
            delivery: hooks.delivery.map { CountedDelivery(handler: $0, calls: self) })
    }

    private struct CountedDelivery: DeliveryHandler {
        let handler: any DeliveryHandler
        let calls: HookCalls

        func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
            await calls.run(.transaction(transaction.payload.transactionID)) { await handler.deliver(transaction) }
        }
    }

    // MARK: Calls within hooks

    /// `true` within a hook of the same manager that has not ended: in its task, and in the tasks that it has started
    /// with `Task { }`. Detached tasks cannot be recognized.
    package var isInside: Bool { isInside { _ in true } }

    /// Returns `true` within a hook that meets a condition.
    package func isInside(_ isMeant: (Hook) -> Bool) -> Bool {
        var call = Self.current
        while let inner = call {
            if inner.calls === self, isRunning(inner.number), isMeant(inner.hook) { return true }
            call = inner.outer
        }
        return false
    }

    /// Calls a function that starts work for all callers, and is therefore not made within the hook that requests it.
    package static func outside<Value>(_ body: () -> Value) -> Value { $current.withValue(nil) { body() } }

    private func isRunning(_ number: Int) -> Bool { state.withLock { $0.running[number] != nil } }

    // MARK: Waiting for hooks

    /// Returns `true` if the limit for a hook has passed, and the hook has not ended.
    package func isOverdue(_ hook: Hook) -> Bool { state.withLock { state in state.isOverdue { $0 == hook } } }

    /// Waits for a task, but no longer than the limit for the hooks that hold it up. Time in which no such hook runs, such
    /// as the time of a download, does not count.
    ///
    /// - Parameter isHeldUp: Returns `true` for a hook that may hold up the task.
    /// - Returns: `nil` if the limit has passed. The task then goes on.
    package func value<Value: Sendable>(
        of task: Task<Value, Never>, heldUpBy isHeldUp: @escaping @Sendable (Hook) -> Bool
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state in
                let number = state.nextNumber()
                state.waiters[number] = Waiter(isHeldUp: isHeldUp) { continuation.resume(returning: nil) }
                return number
            }
            Task {
                let value = await task.value
                guard state.withLock({ $0.waiters.removeValue(forKey: number) }) != nil else { return }
                continuation.resume(returning: value)
            }
            settle()
        }
    }

    /// Starts the timers of hooks for which calls wait, and ends the waits whose limit has passed.
    private func settle() {
        let released = state.withLock { state in
            for (number, call) in state.running
            where call.timer == nil && state.waiters.values.contains(where: { $0.isHeldUp(call.hook) }) {
                state.running[number]?.timer = timer(of: number)
            }
            let numbers = state.waiters.filter { state.isOverdue($0.value.isHeldUp) }.keys
            return numbers.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in released { waiter.release() }
    }

    private func timer(of number: Int) -> Task<Void, Never> {
        Task { [limit, weak self] in
            do {
                try await limit.sleep(limit.duration)
            } catch {
                return
            }
            self?.state.withLock { $0.running[number]?.isOverdue = true }
            self?.settle()
        }
    }
}
