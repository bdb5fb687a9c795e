internal import VitrineSupport

/// Iterator over the elements of a channel. Iteration ends when the reading task is canceled.
struct ArrivalIterator<Element: Sendable>: AsyncIteratorProtocol {
    private var base: AsyncStream<Element>.Iterator

    init(_ channel: Broadcast<Element>) { base = channel.stream().makeAsyncIterator() }

    mutating func next() async -> Element? { await base.next(isolation: #isolation) }
}
