internal import VitrineSupport

/// Purchase that the customer has begun in the App Store, outside the app, and that the app should complete.
@available(iOS 16.4, macOS 14.4, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(visionOS, unavailable)
public struct PurchaseIntent: Equatable, Sendable {
    public let product: Product
    /// Offer that the customer has chosen; `nil` for none.
    @available(iOS 18.0, macOS 15.0, *)
    public let offer: Product.SubscriptionOffer?

    /// Identifier of the product.
    public var id: Product.ID { product.id }

    /// Purchases that the customer begins in the App Store. Each reader receives the purchases that begin after it; the
    /// first reader also receives earlier ones. The sequence ends when its reader is canceled.
    public static var intents: PurchaseIntents { PurchaseIntents(StoreConnection.current) }

    /// Sequence of purchase intents. It is not `Sendable`: each task makes its own.
    public struct PurchaseIntents: AsyncSequence {
        public typealias Element = PurchaseIntent

        private let connection: StoreConnection

        init(_ connection: StoreConnection) { self.connection = connection }

        public func makeAsyncIterator() -> AsyncIterator {
            let iterator = AsyncIterator(connection.intents)
            connection.readIntents()
            return iterator
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            private var arrivals: ArrivalIterator<PurchaseIntent>

            init(_ channel: Broadcast<PurchaseIntent>) { arrivals = ArrivalIterator(channel) }

            public mutating func next() async -> PurchaseIntent? { await arrivals.next() }
        }
    }
}

@available(iOS 18.0, macOS 15.0, *)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@available(visionOS, unavailable)
extension PurchaseIntent: Identifiable {}
