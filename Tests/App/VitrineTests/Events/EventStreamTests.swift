import Testing
import VitrineTestSupport

@testable import Vitrine

/// Delivery of numbered events to listeners.
@Suite(.hangLimit) struct EventStreamTests {
    private let source = EventSource()

    private func send(_ numbers: Range<Int>) {
        for number in numbers { source.send(.purchase(.promoted("\(number)"))) }
    }

    /// Returns the numbers of all events until the stream ends.
    private func names(_ stream: AsyncStream<CatalogEvent>) async -> [String] {
        await stream.reduce(into: []) { $0.append($1.number) }
    }

    private func names(_ numbers: Range<Int>) -> [String] { numbers.map(String.init) }

    @Test func `every listener receives all events in order, from its subscription on`() async {
        let (first, second) = (source.stream(), source.stream())
        send(0..<100)
        let late = source.stream()
        send(100..<300)
        source.finish()

        #expect(await names(first) == names(0..<300))
        #expect(await names(second) == names(0..<300))
        #expect(await names(late) == names(100..<300))
    }

    @Test func `an idle listener does not delay other listeners, and is informed how many events it missed`()
        async
    {
        let idle = source.stream()
        let reader = source.listener()
        for number in 0..<25_000 {
            send(number..<number + 1)
            #expect(await reader.next()?.number == "\(number)")
        }
        source.finish()

        #expect(source.buffer.count == 10_000)
        #expect(await reader.next() == nil)
        #expect(await names(idle) == ["missed 15000"] + names(15_000..<25_000))
        #expect(source.buffer.count == 0)
    }

    @Test func `a listener that falls behind twice receives the number of missed events both times`() async {
        let listener = source.listener()
        send(0..<10_001)
        #expect(await listener.next()?.number == "missed 1")
        #expect(await listener.next()?.number == "1")
        send(10_001..<10_005)

        #expect(await listener.next()?.number == "missed 3")
        #expect(await listener.next()?.number == "5")
    }

    @Test func `events are buffered only until all listeners have read them, and are not buffered without listeners`()
        async
    {
        send(0..<10)
        #expect(source.buffer.count == 0)
        let (one, other) = (source.listener(), source.listener())
        send(0..<10)
        for _ in 0..<10 { _ = await one.next() }
        #expect(source.buffer.count == 10)
        for _ in 0..<10 { _ = await other.next() }
        #expect(source.buffer.count == 0)
        send(10..<11)
        #expect(source.buffer.count == 1)
    }

    @Test func `events buffered for a slow listener are released when the listener is deallocated`() async throws {
        var idle: EventListener? = source.listener()
        let reader = source.listener()
        send(0..<20_000)
        while let event = await reader.next(), event.number != "19999" {}
        #expect(source.buffer.count == 10_000)
        withExtendedLifetime(idle) {}
        idle = nil

        #expect(source.buffer.count == 0)
        send(0..<1)
        #expect(await reader.next()?.number == "0")
        #expect(source.buffer.count == 0)
    }

    @Test func `a canceled reader ends and has no events buffered, and other readers continue`() async {
        let (cancelled, other) = (source.stream(), source.stream())
        let task = Task { await names(cancelled) }
        task.cancel()
        #expect(await task.value == [])
        send(0..<5)
        source.finish()

        #expect(await names(other) == names(0..<5))
        #expect(await names(cancelled) == [])
        #expect(source.buffer.count == 0)
    }

    @Test func `events that are unread when the source finishes are still delivered, and later events are not`() async {
        let stream = source.stream()
        send(0..<3)
        source.finish()
        send(3..<6)

        #expect(await names(stream) == names(0..<3))
        #expect(await names(source.stream()) == [])
    }

    @Test func `event streams end when their source is deallocated`() async {
        var source: EventSource? = EventSource()
        let stream = source?.stream()
        source?.send(.purchase(.promoted("0")))
        source = nil

        #expect(await stream?.reduce(into: []) { $0.append($1.number) } == ["0"])
    }

    @Test func `several readers of one listener each receive different events`() async {
        let listener = source.listener()
        let readers = (0..<4).map { _ in
            Task {
                var heard: [String] = []
                while let event = await listener.next() { heard.append(event.number) }
                return heard
            }
        }
        send(0..<2_000)
        source.finish()
        var heard: [String] = []
        for reader in readers {
            let own = await reader.value
            let numbers = own.compactMap { Int($0) }
            #expect(numbers == numbers.sorted())
            heard += own
        }

        #expect(heard.sorted() == names(0..<2_000).sorted())
    }

    @Test func `under concurrency each listener receives all events in order, or the number of missed events`() async {
        let (listeners, events) = (6, 12_000)
        let idle = source.stream()
        let readers = (0..<listeners).map { _ in
            let listener = source.listener()
            return Task {
                var (heard, missed, next) = (0, 0, 0)
                while let event = await listener.next() {
                    if case .eventsMissed(let count) = event {
                        missed += count
                        next += count
                    } else {
                        guard event.number == "\(next)" else { return (heard: heard, missed: -1) }
                        (heard, next) = (heard + 1, next + 1)
                    }
                }
                return (heard: heard, missed: missed)
            }
        }
        send(0..<events)
        source.finish()
        for reader in readers {
            let (heard, missed) = await reader.value
            #expect(heard + missed == events)
            #expect(heard >= 10_000)
        }
        #expect(await names(idle) == ["missed 2000"] + names(2_000..<events))
    }
}

extension CatalogEvent {
    /// Number in a numbered event.
    var number: String {
        switch self {
        case .purchase(.promoted(let number)): number
        case .eventsMissed(let count): "missed \(count)"
        default: "\(self)"
        }
    }
}
