public import Foundation

/// Last answer of the store about the customer's subscriptions, and what the device's clock has shown since. It is
/// stored beside the ledger's entries and gives nothing: it only limits what is owned without a confirmation.
public struct SubscriptionCheck: Sendable, Hashable, Codable {
    /// Date of the store's answer by the device's clock, or the latest date that the store has signed, if that is later.
    public var answerDate: Date
    /// Original transactions of the subscriptions that the answer contained.
    public var listed: Set<String>
    /// Latest end of a subscription's period that the device's clock has reached since the answer.
    public var latestSeenEnd: Date

    public init(answerDate: Date = .distantPast, listed: Set<String> = [], latestSeenEnd: Date = .distantPast) {
        self.answerDate = answerDate
        self.listed = listed
        self.latestSeenEnd = latestSeenEnd
    }
}
