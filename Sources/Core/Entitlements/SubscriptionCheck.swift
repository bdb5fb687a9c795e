public import Foundation

/// Last answer of the store about the customer's subscriptions. It is stored beside the ledger's entries.
///
/// It limits how long subscriptions without a confirmed renewal are owned, and never makes a product owned by itself.
public struct SubscriptionCheck: Sendable, Hashable, Codable {
    /// Date of the store's last answer about the customer's subscriptions. It is the time of the device's clock, or the
    /// latest signing date of the store if that is later.
    public var answerDate: Date
    /// Original transactions of the subscriptions in the store's last answer.
    public var listed: Set<String>
    /// Latest end of a subscription's period that the device's clock has reached since the store's last answer.
    public var latestSeenEnd: Date

    public init(answerDate: Date = .distantPast, listed: Set<String> = [], latestSeenEnd: Date = .distantPast) {
        self.answerDate = answerDate
        self.listed = listed
        self.latestSeenEnd = latestSeenEnd
    }
}
