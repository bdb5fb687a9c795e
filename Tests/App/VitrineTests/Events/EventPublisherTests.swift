import Foundation
import Testing
import VitrineTestSupport

@testable import Vitrine

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

@Suite(.hangLimit) struct EventPublisherTests {
    private let source = EventSource()

    private func send(_ numbers: Range<Int>) {
        for number in numbers { source.send(.purchase(.promoted("\(number)"))) }
    }

    private func subscribe() -> Asker {
        let asker = Asker()
        CatalogEventPublisher(source: source).subscribe(asker)
        return asker
    }

    @Test func `a subscriber receives events in order and never more than it has demanded`() async {
        let asker = subscribe()
        send(0..<5)
        asker.request(.max(1))
        #expect(await asker.next() == "0")
        asker.request(.max(2))
        #expect(await asker.next() == "1")
        #expect(await asker.next() == "2")
        #expect(asker.given == 3)
        asker.request(.unlimited)
        send(5..<6)
        source.finish()

        var rest: [String] = []
        while let word = await asker.next(), word != "finished" { rest.append(word) }
        #expect(rest == ["3", "4", "5"])
    }

    @Test func `demand that a subscriber returns while it receives an event is honored`() async {
        let asker = Asker(askingForMore: .max(1))
        CatalogEventPublisher(source: source).subscribe(asker)
        asker.request(.max(1))
        send(0..<3)
        source.finish()

        for word in ["0", "1", "2", "finished"] { #expect(await asker.next() == word) }
    }

    @Test func `each subscriber has its own demand and receives events from its subscription on`() async {
        let first = subscribe()
        send(0..<2)
        let second = subscribe()
        send(2..<3)
        first.request(.unlimited)
        for word in ["0", "1", "2"] { #expect(await first.next() == word) }
        second.request(.max(1))

        #expect(await second.next() == "2")
    }

    @Test func `completion is delivered without demand once all events are delivered`() async {
        let (idle, behind) = (subscribe(), Asker())
        source.finish()
        #expect(await idle.next() == "finished")
        #expect(idle.given == 0)

        let other = EventSource()
        CatalogEventPublisher(source: other).subscribe(behind)
        other.send(.purchase(.promoted("0")))
        other.finish()
        behind.request(.max(1))
        #expect(await behind.next() == "0")
        #expect(await behind.next() == "finished")
    }

    @Test func `a canceled subscription delivers neither events nor completion`() async {
        let (asker, other) = (subscribe(), subscribe())
        asker.request(.max(1))
        send(0..<1)
        #expect(await asker.next() == "0")
        asker.cancel()
        asker.request(.unlimited)
        send(1..<3)
        source.finish()
        other.request(.unlimited)
        for word in ["0", "1", "2", "finished"] { #expect(await other.next() == word) }

        #expect(asker.given == 1)
        asker.end()
        #expect(await asker.next() == nil)
    }

    @Test func `a subscriber that cancels at once receives no events`() async {
        let asker = Asker(cancelsAtOnce: true)
        CatalogEventPublisher(source: source).subscribe(asker)
        send(0..<3)
        source.finish()
        asker.end()

        #expect(await asker.next() == nil)
    }

    @Test func `Combine operators and subscribers work with the event publisher`() async {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let sink = CatalogEventPublisher(source: source)
            .map(\.number).filter { $0 != "1" }
            .sink { _ in
                continuation.finish()
            } receiveValue: {
                continuation.yield($0)
            }
        send(0..<3)
        source.finish()

        #expect(await stream.reduce(into: []) { $0.append($1) } == ["0", "2"])
        withExtendedLifetime(sink) {}
    }
}

/// Subscriber that requests values only when a test tells it to.
///
/// It is `@unchecked Sendable` because its subscription is not `Sendable`. The subscription is set once, and may be
/// called from any thread.
private final class Asker: Subscriber, @unchecked Sendable {
    private let received = AsyncStream<String>.makeStream()
    private let heard = Recorder<String>()
    private let more: Subscribers.Demand
    private let cancelsAtOnce: Bool
    private var subscription: (any Subscription)?

    init(askingForMore more: Subscribers.Demand = .none, cancelsAtOnce: Bool = false) {
        self.more = more
        self.cancelsAtOnce = cancelsAtOnce
    }

    var given: Int { heard.values.count }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() { subscription?.cancel() }

    func end() { received.continuation.finish() }

    func next() async -> String? { await received.stream.first { _ in true } }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if cancelsAtOnce { subscription.cancel() }
    }

    func receive(_ input: CatalogEvent) -> Subscribers.Demand {
        heard.record(input.number)
        received.continuation.yield(input.number)
        return more
    }

    func receive(completion: Subscribers.Completion<Never>) { received.continuation.yield("finished") }
}
