import Testing

/// Row of the table of App Store Server Notifications of version 2: a type with a subtype, and the object that the
/// notification contains.
struct NotificationRow: Sendable, Identifiable {
    /// Object of a notification.
    enum Content: Sendable {
        /// `data` with the transaction alone.
        case transaction
        /// `data` with the transaction and the reason of a request for a refund.
        case consumptionRequest
        /// `data` with the transaction, the renewal information and the status of an auto-renewable subscription.
        case subscription
        /// `data` that names the app and nothing else.
        case app
        case summary, externalPurchaseToken
        /// `appData` with the app transaction.
        case appData
    }

    let type: String
    let subtype: String?
    let content: Content
    /// Reason why no event of a simulated store causes this notification; `nil` if there are such events.
    let exclusion: String?

    /// Type and subtype, such as `DID_RENEW/BILLING_RECOVERY`, or the type alone.
    var id: String { Self.id(type, subtype) }

    static func id(_ type: String, _ subtype: String?) -> String { subtype.map { "\(type)/\($0)" } ?? type }

    fileprivate init(_ type: String, _ content: Content, exclusion: String? = nil) {
        (self.type, subtype, self.content, self.exclusion) = (type, nil, content, exclusion)
    }

    fileprivate init(_ type: String, _ subtype: String, _ content: Content, exclusion: String? = nil) {
        (self.type, self.subtype, self.content, self.exclusion) = (type, subtype, content, exclusion)
    }
}

/// Table of all combinations of type and subtype that Apple sends.
enum NotificationTable {
    static let rows = purchases + plans + billing + refunds + extensions + excluded

    static func row(_ id: String) -> NotificationRow? { rows.first { $0.id == id } }

    private static let purchases = [
        NotificationRow("ONE_TIME_CHARGE", .transaction),
        NotificationRow("SUBSCRIBED", "INITIAL_BUY", .subscription),
        NotificationRow("SUBSCRIBED", "RESUBSCRIBE", .subscription),
        NotificationRow("OFFER_REDEEMED", .subscription),
        NotificationRow("OFFER_REDEEMED", "UPGRADE", .subscription),
        NotificationRow("OFFER_REDEEMED", "DOWNGRADE", .subscription),
    ]

    private static let plans = [
        NotificationRow("DID_CHANGE_RENEWAL_PREF", "UPGRADE", .subscription),
        NotificationRow("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", .subscription),
        NotificationRow("DID_CHANGE_RENEWAL_PREF", .subscription),
        NotificationRow("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", .subscription),
        NotificationRow("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", .subscription),
        NotificationRow("PRICE_INCREASE", "PENDING", .subscription),
        NotificationRow("PRICE_INCREASE", "ACCEPTED", .subscription),
    ]

    private static let billing = [
        NotificationRow("DID_RENEW", .subscription),
        NotificationRow("DID_RENEW", "BILLING_RECOVERY", .subscription),
        NotificationRow("DID_FAIL_TO_RENEW", .subscription),
        NotificationRow("DID_FAIL_TO_RENEW", "GRACE_PERIOD", .subscription),
        NotificationRow("GRACE_PERIOD_EXPIRED", .subscription),
        NotificationRow("EXPIRED", "VOLUNTARY", .subscription),
        NotificationRow("EXPIRED", "BILLING_RETRY", .subscription),
        NotificationRow("EXPIRED", "PRICE_INCREASE", .subscription),
        NotificationRow("EXPIRED", "PRODUCT_NOT_FOR_SALE", .subscription),
        NotificationRow("EXPIRED", .subscription),
    ]

    private static let refunds = [
        NotificationRow("REFUND", .transaction),
        NotificationRow("REFUND_DECLINED", .transaction),
        NotificationRow("REFUND_REVERSED", .transaction),
        NotificationRow("CONSUMPTION_REQUEST", .consumptionRequest),
        NotificationRow("REVOKE", .transaction),
    ]

    private static let extensions = [
        NotificationRow("RENEWAL_EXTENDED", .subscription),
        NotificationRow("RENEWAL_EXTENSION", "SUMMARY", .summary),
        NotificationRow("RENEWAL_EXTENSION", "FAILURE", .subscription),
        NotificationRow("TEST", .app),
    ]

    private static let excluded =
        ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"].map { subtype in
            NotificationRow(
                "EXTERNAL_PURCHASE_TOKEN", subtype, .externalPurchaseToken,
                exclusion: "the store has no purchases outside the App Store")
        } + [
            NotificationRow(
                "RESCIND_CONSENT", .appData, exclusion: "customers of the store have no parents or guardians")
        ]
        + ["METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE"].map { type in
            NotificationRow(type, .subscription, exclusion: "the store has no Advanced Commerce API")
        }
}
