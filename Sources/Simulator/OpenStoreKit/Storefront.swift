internal import VitrineSupport

/// Country of the store that a customer uses.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public struct Storefront: Identifiable, Sendable {
    /// ISO 3166-1 alpha-3 code of the country.
    public let countryCode: String
    /// Identifier of the storefront. In a simulated store it is the country code.
    public let id: String

    /// Currency of the country; `nil` if it is not known.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public var currency: Locale.Currency? { Locale(identifier: "en_\(countryCode)").currency }

    /// Storefront of the customer; `nil` if it is not known.
    public static var current: Storefront? {
        get async { await StoreConnection.current.storefront() }
    }

    /// Storefronts to which the customer moves after the call. Products must be loaded again after each change. The
    /// sequence ends when its reader is canceled.
    public static var updates: Storefronts { Storefronts(StoreConnection.current.storefronts) }

    /// Sequence of storefronts.
    public struct Storefronts: AsyncSequence, Sendable {
        public typealias Element = Storefront

        private let channel: Broadcast<Storefront>

        init(_ channel: Broadcast<Storefront>) { self.channel = channel }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            private var arrivals: ArrivalIterator<Storefront>

            init(_ channel: Broadcast<Storefront>) { arrivals = ArrivalIterator(channel) }

            public mutating func next() async -> Storefront? { await arrivals.next() }
        }
    }
}
