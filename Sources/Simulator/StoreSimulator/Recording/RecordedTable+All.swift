internal import GRDB

extension RecordedTable {
    /// Tables whose rows open a recording, each after the tables to which its rows refer. None of them contains keys,
    /// simulated failures, promoted purchases, app receipts or notifications.
    static let all: [RecordedTable] = [
        settings, customers, devices, appPurchases, productChanges, purchases, subscriptions, unfinished, extensions,
        massExtensions, refundRequests, reports, events,
    ]

    /// Substitute for the notification address of the app's server, which a recording does not contain.
    static let notificationURL = "http://recording.invalid/"

    /// Substitute for the reason why purchases are not allowed, which a recording does not contain.
    static let paymentRestriction = "purchases are not allowed"

    private static let settings = RecordedTable(
        StoreSettings.self,
        [
            .init("id", .integer), .init("asksToBuy", .integer), .init("isOffline", .integer),
            .init("offlineDate", .date), .init("paymentRestriction", .presence(of: paymentRestriction)),
            .init("storefront", .text), .init("clock", .date), .init("timeRate", .integer),
            .init("hasGracePeriod", .integer), .init("isBillingFailing", .integer),
            .init("interruptsPurchases", .integer), .init("sendsConsumablesToAllDevices", .integer),
            .init("environment", .text), .init("appIdentifier", .integer),
            .init("notificationURL", .presence(of: notificationURL)),
        ], omitting: ["isRecording"])

    private static let customers = RecordedTable(
        CustomerRecord.self, [.init("id", .integer), .init("name", .name(of: "customer")), .init("family", .pseudonym)])

    private static let devices = RecordedTable(
        DeviceRecord.self,
        [.init("id", .integer), .init("customer", .integer), .init("name", .name(of: "device"))])

    private static let appPurchases = RecordedTable(
        AppPurchaseRecord.self,
        [.init("id", .integer), .init("version", .text), .init("date", .date), .init("platform", .text)])

    private static let productChanges = RecordedTable(
        ProductChange.self,
        [.init("productIdentifier", .text), .init("price", .integer), .init("isWithdrawn", .integer)])

    private static let purchases = RecordedTable(
        PurchaseRecord.self,
        [
            .init("id", .transaction), .init("customer", .integer), .init("device", .integer),
            .init("productIdentifier", .text), .init("kind", .text), .init("quantity", .integer),
            .init("purchaseDate", .date), .init("price", .integer), .init("currency", .text),
            .init("storefront", .text), .init("ownershipType", .text), .init("accountToken", .token),
            .init("isPending", .integer), .init("isInterrupted", .integer), .init("originalID", .transaction),
            .init("originalDate", .date), .init("isRenewal", .integer), .init("isUpgraded", .integer),
            .init("groupID", .text), .init("expiresDate", .date), .init("offer", .offer),
            .init("revocationDate", .date), .init("revocationType", .text), .init("revocationPercentage", .integer),
            .init("sharedFrom", .transaction), .init("signedFrom", .date), .init("modification", .integer),
        ])

    private static let subscriptions = RecordedTable(
        SubscriptionRecord.self,
        [
            .init("id", .transaction), .init("customer", .integer), .init("groupID", .text),
            .init("productIdentifier", .text), .init("purchase", .transaction), .init("expiresDate", .date),
            .init("billingDay", .integer), .init("isRenewing", .integer), .init("renewalProduct", .text),
            .init("state", .text), .init("expirationReason", .integer), .init("graceDate", .date),
            .init("retryDate", .date), .init("consent", .text), .init("price", .integer), .init("offer", .offer),
            .init("nextOffer", .offer), .init("startDate", .date), .init("isBillingFailing", .integer),
            .init("accountToken", .token), .init("sharedFrom", .transaction), .init("signedFrom", .date),
            .init("nextDate", .date),
        ])

    private static let unfinished = RecordedTable(
        UnfinishedRecord.databaseTableName, [.init("device", .integer), .init("purchase", .transaction)],
        order: "device, purchase")

    private static let extensions = RecordedTable(
        RenewalExtensionRecord.self,
        [
            .init("id", .integer), .init("subscription", .transaction), .init("date", .date),
            .init("request", .pseudonym), .init("expiresDate", .date),
        ])

    private static let massExtensions = RecordedTable(
        MassExtensionRecord.self,
        [
            .init("request", .pseudonym), .init("productIdentifier", .text), .init("days", .integer),
            .init("storefronts", .text), .init("dueDate", .date), .init("completeDate", .date),
            .init("succeeded", .integer), .init("failed", .integer),
        ])

    private static let refundRequests = RecordedTable(
        RefundRequestRecord.self, [.init("purchase", .transaction), .init("date", .date), .init("reason", .text)])

    private static let reports = RecordedTable(
        ConsumptionReportRecord.self,
        [.init("id", .integer), .init("purchase", .transaction), .init("date", .date), .init("body", .report)])

    private static let events = RecordedTable(
        "event",
        [
            .init("id", .integer), .init("date", .date), .init("customer", .integer), .init("kind", .text),
            .init("productIdentifier", .text), .init("purchase", .transaction), .init("detail", .text),
        ],
        check: { database in
            _ = try EventRecord.events(after: database.lastInsertedRowID - 1, in: database)
        })
}
