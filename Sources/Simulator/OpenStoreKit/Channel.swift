internal import VitrineStoreSimulator

/// Channel on which all readers of a sequence receive what arrives from the beginning of their reading on.
typealias Channel = Broadcast

/// Iterator of the sequences of what arrives. It ends when its reader is cancelled.
public struct _ArrivalIterator<Element: Sendable>: AsyncIteratorProtocol {
    private var base: AsyncStream<Element>.Iterator

    init(_ channel: Channel<Element>) { base = channel.stream().makeAsyncIterator() }

    public mutating func next() async -> Element? { await base.next(isolation: #isolation) }
}
