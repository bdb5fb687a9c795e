internal import StoreSimulator

/// Message of the store to the customer, which StoreKit displays over the app. Off Apple's platforms nothing is displayed.
public struct Message: Hashable, Sendable {
    public let reason: Reason

    /// Messages that arrive from now on. The sequence ends when its reader is cancelled.
    public static var messages: Messages { Messages(StoreConnection.current.messages) }

    /// Reason of a message.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let generic = Reason(rawValue: 0)
        /// The price of a subscription increases, and the customer has to consent.
        public static let priceIncreaseConsent = Reason(rawValue: 1)
        /// The store could not charge for the renewal of a subscription.
        public static let billingIssue = Reason(rawValue: 2)
        public static let winBackOffer = Reason(rawValue: 3)

        /// Name of the reason, in English.
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

        private let channel: Channel<Message>

        init(_ channel: Channel<Message>) { self.channel = channel }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel) }

        public typealias AsyncIterator = _ArrivalIterator<Message>
    }
}

extension StoreConnection {
    /// Sends a message of the store to the app.
    package func send(_ reason: Message.Reason) { messages.send(Message(reason: reason)) }
}
