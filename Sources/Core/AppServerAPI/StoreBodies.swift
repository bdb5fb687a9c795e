/// Notification of the App Store, version 2.
package struct NotificationBody: JSONBody, Hashable {
    /// Notification as a compact JWS.
    package let signedPayload: String

    package init(signedPayload: String) { self.signedPayload = signedPayload }
}

/// Response to a notification of the store.
package struct NotificationResult: JSONBody, Hashable {
    package let outcome: NotificationOutcome

    package init(outcome: NotificationOutcome) { self.outcome = outcome }
}

/// Outcome of processing a notification of the store.
package enum NotificationOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// The notification was received before.
    case known
    /// The customer's facts in the notification were recorded, now or before.
    case recorded
    /// The notification contains no new fact about a customer.
    case noted
    /// The purchase in the notification belongs to no customer yet.
    case unclaimed
    /// The purchase in the notification cannot be delivered with the current catalog.
    case waiting
}

/// Request to verify signed data: either a transaction or an app receipt.
package struct VerificationQuestion: JSONBody, Hashable {
    package let bundleId: String
    /// Environment of the store in which the transaction must have been made; `nil` for any that the server has.
    package let environment: String?
    /// Transaction as a compact JWS.
    package let signedTransaction: String?
    /// App receipt in Base64.
    package let appReceipt: String?

    package init(
        bundleId: String, environment: String? = nil, signedTransaction: String? = nil, appReceipt: String? = nil
    ) {
        (self.bundleId, self.environment) = (bundleId, environment)
        (self.signedTransaction, self.appReceipt) = (signedTransaction, appReceipt)
    }
}

/// Response to a request to verify signed data.
package struct VerificationAnswer: JSONBody, Hashable {
    /// Verdict: `verified`, `rejected` or `undetermined`. Any other text is undetermined.
    package let verdict: String
    /// Reason for the verdict; `nil` if it is `verified`, or if the server gives none.
    package let reason: String?
    /// Environment whose rules the verdict follows. A purchase in the sandbox costs nothing. `nil` from a server that
    /// names none.
    package let environment: String?

    package init(verdict: String, reason: String? = nil, environment: String? = nil) {
        (self.verdict, self.reason, self.environment) = (verdict, reason, environment)
    }
}
