internal import VitrineSupport

extension Product.SubscriptionInfo {
    /// State of a customer's subscription.
    public struct Status: Hashable, Sendable {
        public let state: RenewalState
        /// Latest transaction of the subscription.
        public let transaction: VerificationResult<Transaction>
        public let renewalInfo: VerificationResult<RenewalInfo>

        /// Changed statuses of subscriptions in all groups after the call, for example after a purchase, a renewal, an
        /// end, or a change of the renewal. Each reader receives all changes. The sequence ends when its reader is
        /// canceled.
        public static var updates: Statuses { Statuses(StoreConnection.current.statuses) }

        /// Statuses of the customer's subscriptions, group by group. A group without a subscription is left out.
        @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
        public static var all: AsyncStream<(groupID: String, statuses: [Status])> {
            let connection = StoreConnection.current
            return AsyncStream { continuation in
                let task = Task {
                    for group in await connection.statusesByGroup() { continuation.yield(group) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// Sequence of changed statuses.
        public struct Statuses: AsyncSequence, Sendable {
            public typealias Element = Status

            private let channel: Broadcast<Status>

            init(_ channel: Broadcast<Status>) { self.channel = channel }

            public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel) }

            public struct AsyncIterator: AsyncIteratorProtocol {
                private var arrivals: ArrivalIterator<Status>

                init(_ channel: Broadcast<Status>) { arrivals = ArrivalIterator(channel) }

                public mutating func next() async -> Status? { await arrivals.next() }
            }
        }
    }

    /// State of a subscription in relation to its renewal.
    public struct RenewalState: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The period is paid for. The customer is entitled to the product.
        public static let subscribed = RenewalState(rawValue: 1)
        public static let expired = RenewalState(rawValue: 2)
        /// The store could not charge for the renewal and is retrying. The customer is not entitled to the product.
        public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
        /// The store could not charge for the renewal and is retrying. The customer remains entitled to the product.
        public static let inGracePeriod = RenewalState(rawValue: 4)
        /// The store has revoked the subscription, for example after a refund.
        public static let revoked = RenewalState(rawValue: 5)

        /// Name of the state, in English.
        @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
        public var localizedDescription: String {
            switch self {
            case .subscribed: "Subscribed"
            case .expired: "Expired"
            case .inBillingRetryPeriod: "Billing Retry Period"
            case .inGracePeriod: "Billing Grace Period"
            case .revoked: "Revoked"
            default: "\(rawValue)"
            }
        }
    }
}

extension Product.SubscriptionInfo.Status {
    /// Copy of the status with the state ``RenewalState/expired``, which some systems report shortly before a renewal.
    var expired: Product.SubscriptionInfo.Status {
        Product.SubscriptionInfo.Status(state: .expired, transaction: transaction, renewalInfo: renewalInfo)
    }
}
