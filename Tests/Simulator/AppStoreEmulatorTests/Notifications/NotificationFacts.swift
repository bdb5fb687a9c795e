import Foundation
import VitrineReceipts

/// Facts of a notification on which a receiver acts, as texts that can be compared completely. Days are counted from
/// the start date of the store.
struct NotificationFacts: Sendable, Hashable, CustomStringConvertible {
    /// Identifier of the row in ``NotificationTable``.
    let row: String
    /// Transaction, such as `club.silver bought 4990 until day 31`, or the content of a summary.
    let subject: String
    /// Status and renewal of a subscription, such as `active, renews to club.silver for 4990`.
    let renewal: String?

    init(_ row: String, _ subject: String, _ renewal: String? = nil) {
        (self.row, self.subject, self.renewal) = (row, subject, renewal)
    }

    /// Extracts the facts of a received notification.
    ///
    /// - Parameter names: Names of customers, by the identifiers of their app transactions. The first customer's name
    ///   is left out.
    init(_ received: ReceivedNotification, names: [String: String]) {
        row = received.row
        let (payload, transaction) = (received.payload, received.transaction)
        let owner = transaction.flatMap { names[$0.appTransactionID ?? ""] ?? "a stranger" } ?? "default"
        var parts = transaction.map(Self.parts) ?? payload.summary.map(Self.parts) ?? ["the app"]
        if let reason = payload.data?.consumptionRequestReason { parts.append("because \(reason.rawValue)") }
        subject = (owner == "default" ? "" : "\(owner)'s ") + parts.joined(separator: " ")
        renewal = received.renewal.map { Self.parts(of: $0, payload.data?.status).joined(separator: ", ") }
    }

    var description: String { "\(row): \(subject)\(renewal.map { "; \($0)" } ?? "")" }

    private static func parts(of transaction: TransactionPayload) -> [String] {
        var parts = [transaction.productIdentifier]
        if transaction.quantity != 1 { parts.append("x\(transaction.quantity)") }
        parts.append(transaction.reason == .renewal ? "renewed" : "bought")
        if transaction.ownershipType == .familyShared { parts.append("by the family") }
        if let price = transaction.price { parts.append("\(price)") }
        parts += offer(transaction.offerType, transaction.offerIdentifier)
        if let date = transaction.expiresDate { parts.append("until \(day(date))") }
        if transaction.isUpgraded != nil { parts.append("upgraded") }
        if let date = transaction.revocationDate {
            let percentage = transaction.revocationPercentage.map { " \($0)" } ?? ""
            parts.append("revoked \(day(date)) \(transaction.revocationType?.rawValue ?? "-")\(percentage)")
        }
        return parts
    }

    private static func parts(of renewal: RenewalPayload, _ status: SubscriptionState?) -> [String] {
        let names: [SubscriptionState: String] = [
            .active: "active", .expired: "expired", .billingRetry: "in retry", .billingGracePeriod: "in grace",
            .revoked: "revoked",
        ]
        var parts = [status.flatMap { names[$0] } ?? "without status"]
        let product = renewal.autoRenewProductIdentifier ?? "-"
        let price = renewal.renewalPrice.map { " for \($0)" } ?? ""
        parts.append(renewal.autoRenewStatus == .on ? "renews to \(product)\(price)" : "ends with \(product)\(price)")
        parts += offer(renewal.offerType, renewal.offerIdentifier)
        if let intent = renewal.expirationIntent { parts.append("intent \(intent.rawValue)") }
        if let isRetrying = renewal.isInBillingRetryPeriod { parts.append(isRetrying ? "retrying" : "not retrying") }
        if let date = renewal.gracePeriodExpiresDate { parts.append("grace until \(day(date))") }
        if let consent = renewal.priceIncreaseStatus {
            parts.append(consent == .agreed ? "price agreed" : "price pending")
        }
        if let offers = renewal.eligibleWinBackOfferIdentifiers, !offers.isEmpty {
            parts.append("win-back \(offers.joined(separator: " "))")
        }
        return parts
    }

    private static func parts(of summary: NotificationPayload.RenewalExtensionSummary) -> [String] {
        let storefronts = summary.storefrontCountryCodes.map { " in \($0.joined(separator: " "))" } ?? ""
        let counts = [summary.succeededCount, summary.failedCount].map { $0.map(String.init) ?? "-" }
        return ["\(summary.productIdentifier ?? "-")\(storefronts)", "\(counts[0]) extended", "\(counts[1]) failed"]
    }

    private static func offer(_ type: OfferType?, _ identifier: String?) -> [String] {
        type.map { ["offer \($0.rawValue)\(identifier.map { " \($0)" } ?? "")"] } ?? []
    }

    private static func day(_ date: Date) -> String {
        let days = date.timeIntervalSince(NotifiedStore.start) / 86_400
        return days == days.rounded() ? "day \(Int(days))" : "day \(days)"
    }
}
