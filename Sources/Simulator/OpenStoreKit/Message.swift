internal import VitrineSupport

/// Message of the store to the customer, which StoreKit displays over the app. Off Apple's platforms nothing is
/// displayed.
@available(iOS 16.0, visionOS 1.0, *)
@available(macOS, unavailable)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public struct Message: Hashable, Sendable {
    public let reason: Reason

    /// Messages that arrive after the call. The sequence ends when its reader is canceled.
    public static var messages: Messages { Messages(StoreConnection.current.messages) }

    /// Reason of a message.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let generic = Reason(rawValue: 0)
        /// The price of a subscription increases, and the customer has to consent.
        public static let priceIncreaseConsent = Reason(rawValue: priceIncreaseConsentReason)
        /// The store could not charge for the renewal of a subscription.
        @available(iOS 16.4, visionOS 1.0, *)
        public static let billingIssue = Reason(rawValue: 2)
        @available(iOS 18.0, visionOS 2.0, *)
        public static let winBackOffer = Reason(rawValue: 3)

        /// Name of the reason for the message, in English.
        public var localizedDescription: String {
            switch self {
            case .priceIncreaseConsent: "Price Increase Consent"
            case .billingIssue: "Billing Issue"
            case .winBackOffer: "Win-back Offer"
            default: "Generic"
            }
        }
    }

    /// Sequence of messages.
    public struct Messages: AsyncSequence, Sendable {
        public typealias Element = Message

        private let channel: Broadcast<Int>

        init(_ channel: Broadcast<Int>) { self.channel = channel }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            private var reasons: ArrivalIterator<Int>

            init(_ channel: Broadcast<Int>) { reasons = ArrivalIterator(channel) }

            public mutating func next() async -> Message? {
                await reasons.next().map { Message(reason: Reason(rawValue: $0)) }
            }
        }
    }
}

/// Raw value of ``Message/Reason/priceIncreaseConsent``.
private let priceIncreaseConsentReason = 1

extension StoreConnection {
    /// Sends the app a message that asks the customer to consent to a price increase.
    package func requestPriceIncreaseConsent() { messages.send(priceIncreaseConsentReason) }
}
