public import Foundation

/// Last answer of the store about the customer's subscriptions, and what the device's clock has shown since. It is
/// stored beside the ledger's entries and makes no product owned: it only limits which subscriptions are owned although
/// the store has not confirmed their renewal.
public struct SubscriptionCheck: Sendable, Hashable, Codable {
    /// Date of the store's last answer about the customer's subscriptions, by the device's clock, or the latest date
    /// that the store has signed, if that is later.
    public var answerDate: Date
    /// Original transactions of the subscriptions that the store's last answer about the customer's subscriptions
    /// contained.
    public var listed: Set<String>
    /// Latest end of a subscription's period that the device's clock has reached since the store's last answer about
    /// the customer's subscriptions.
    public var latestSeenEnd: Date

    public init(answerDate: Date = .distantPast, listed: Set<String> = [], latestSeenEnd: Date = .distantPast) {
        self.answerDate = answerDate
        self.listed = listed
        self.latestSeenEnd = latestSeenEnd
    }
}
