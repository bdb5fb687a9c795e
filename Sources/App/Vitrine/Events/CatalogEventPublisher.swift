internal import VitrineSupport

#if canImport(Combine)
    public import Combine
#else
    public import OpenCombine
#endif

extension CatalogManager {
    /// Publisher of all events after a subscription, as fast as the subscriber requests them. A subscriber that falls
    /// behind by more than ten thousand events receives the number of events that it missed.
    public nonisolated var eventPublisher: CatalogEventPublisher { CatalogEventPublisher(source: state.events) }
}

/// Publisher of the events of a manager, until the manager is stopped or deallocated. Does not retain the manager.
public struct CatalogEventPublisher: Publisher, Sendable {
    public typealias Output = CatalogEvent
    public typealias Failure = Never

    private let buffer: EventBuffer

    init(source: EventSource) { buffer = source.buffer }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == CatalogEvent, Downstream.Failure == Never {
        let subscription = EventSubscription(EventListener(buffer))
        subscriber.receive(subscription: subscription)
        // `nonisolated(unsafe)`, because subscribers are not `Sendable`: from here on only the task of the subscription
        // calls it.
        nonisolated(unsafe) let subscriber = AnySubscriber(subscriber)
        subscription.begin({ subscriber.receive($0) }, finish: { subscriber.receive(completion: .finished) })
    }
}

private final class EventSubscription: Subscription, Sendable {
    private struct Request {
        var demand = Subscribers.Demand.none
        var waiting: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let listener: EventListener
    private let request = Locked(Request())

    init(_ listener: EventListener) { self.listener = listener }

    /// Starts a task that delivers each event when the subscriber requests it.
    func begin(
        _ give: @escaping @Sendable (CatalogEvent) -> Subscribers.Demand, finish: @escaping @Sendable () -> Void
    ) {
        let task = Task { await publish(give, finish) }
        let isCancelled = request.withLock { request in
            request.task = task
            return request.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func publish(_ give: (CatalogEvent) -> Subscribers.Demand, _ finish: () -> Void) async {
        // Read before it is requested: completion is delivered without a request.
        while let event = await listener.next() {
            guard await consumeDemand() else { return }
            let more = give(event)
            request.withLock { $0.demand += more }
        }
        if !request.withLock({ $0.isCancelled }) { finish() }
    }

    /// Waits until the subscriber requests an event, and counts that event as delivered.
    ///
    /// - Returns: `false` if the subscription is cancelled.
    private func consumeDemand() async -> Bool {
        await withCheckedContinuation { continuation in
            let isReady = request.withLock { request in
                guard request.demand == .none, !request.isCancelled else { return true }
                request.waiting = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return request.withLock { request in
            guard !request.isCancelled, request.demand > .none else { return false }
            request.demand -= 1
            return true
        }
    }

    func request(_ demand: Subscribers.Demand) {
        wake { $0.demand += demand }
    }

    func cancel() {
        wake { request in
            request.isCancelled = true
            request.task?.cancel()
        }
    }

    private func wake(_ change: (inout Request) -> Void) {
        let waiting = request.withLock { request in
            change(&request)
            let waiting = request.waiting
            request.waiting = nil
            return waiting
        }
        waiting?.resume()
    }
}
