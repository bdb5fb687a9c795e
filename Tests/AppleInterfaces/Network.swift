// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
@_exported public import Foundation

public struct NWPath: Equatable, Sendable {
    public enum Status: Equatable, Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public let status: Status
    public let isExpensive: Bool
    public let isConstrained: Bool
}

public final class NWPathMonitor: AsyncSequence {
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPath? { fatalError() }
    }

    public init() {}

    public func makeAsyncIterator() -> Iterator { fatalError() }
}
