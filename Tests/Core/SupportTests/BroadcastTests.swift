import Testing
import VitrineSupport

struct BroadcastTests {
    @Test func `each listener of a broadcast receives the elements sent after its stream was created, in order`() async
    {
        let channel = Broadcast<Int>()
        let first = channel.stream()
        channel.send(1)
        let second = channel.stream()
        for number in 2...4 { channel.send(number) }
        channel.finish()

        #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2, 3, 4])
        #expect(await second.reduce(into: []) { $0.append($1) } == [2, 3, 4])
    }

    @Test func `a broadcast with a buffer limit retains the newest elements for a slow listener`() async {
        let channel = Broadcast<Int>(keepingNewest: 2)
        let stream = channel.stream()
        for number in 1...5 { channel.send(number) }
        channel.finish()

        #expect(await stream.reduce(into: []) { $0.append($1) } == [4, 5])
    }

    @Test func `a slow listener of a broadcast is informed that it has missed elements`() async {
        let channel = Broadcast<Int>(keepingNewest: 3, missed: 0)
        let stream = channel.stream()
        for number in 1...4 { channel.send(number) }
        channel.finish()

        #expect(await stream.reduce(into: []) { $0.append($1) } == [3, 4, 0])
    }

    @Test func `a finished broadcast ends each existing and each later stream exactly once`() async {
        let channel = Broadcast<Int>()
        let ends = Locked(0)
        let streams = [channel.stream { ends.withLock { $0 += 1 } }]
        channel.finish()
        channel.send(1)
        let late = channel.stream { ends.withLock { $0 += 1 } }

        for stream in streams + [late] { for await _ in stream { Issue.record("an element after the end") } }
        #expect(ends.withLock(\.self) == 2)
        #expect(!channel.hasListeners)
    }

    @Test func `a cancelled or ended stream of a broadcast is removed as a listener before its end is reported`()
        async
    {
        let channel = Broadcast<Int>()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let stream = channel.stream { [weak channel] in end.yield(channel?.hasListeners == true) }
        let reader = Task { for await _ in stream {} }
        reader.cancel()
        await reader.value
        let subscription = channel.subscription { [weak channel] in end.yield(channel?.hasListeners == true) }
        #expect(channel.hasListeners)
        subscription.end()
        subscription.end()
        end.finish()

        #expect(await ended.reduce(into: []) { $0.append($1) } == [false, false])
        for await _ in subscription.elements { Issue.record("an element after the end") }
    }
}
