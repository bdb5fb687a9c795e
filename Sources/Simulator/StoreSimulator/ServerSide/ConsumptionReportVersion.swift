internal import Foundation
internal import VitrineCatalog
internal import VitrineReceipts

/// Version of a report about the consumption of a purchase. Apple documents
/// [the first version](https://developer.apple.com/documentation/appstoreserverapi/consumptionrequestv1) and
/// [the second](https://developer.apple.com/documentation/appstoreserverapi/consumptionrequest).
package enum ConsumptionReportVersion: Int, Sendable {
    case v1 = 1
    case v2

    /// Checks the fields of a report.
    func check(_ body: ServerBody) throws(ServerError) {
        switch self {
        case .v1: try Self.checkFirst(body)
        case .v2: try Self.checkSecond(body)
        }
    }

    /// Checks that a report applies to a kind of product.
    func check(_ body: ServerBody, about kind: ProductKind) throws(ServerError) {
        switch self {
        case .v1:
            guard kind == .consumable || kind == .autoRenewableSubscription else {
                throw ServerError(
                    .transactionTypeNotSupported, "Only consumables and auto-renewable subscriptions are supported.")
            }
        case .v2:
            guard kind != .autoRenewableSubscription || !body.has("consumptionPercentage") else {
                throw ServerError(
                    .percentageOfSubscription, "The store computes the percentage of auto-renewable subscriptions.")
            }
        }
    }

    private static func checkFirst(_ body: ServerBody) throws(ServerError) {
        try checkConsent(body)
        _ = try body.integer("consumptionStatus", .invalidConsumptionStatus, in: 0...3)
        _ = try body.integer("platform", .invalidPlatform, in: 0...2)
        _ = try body.flag("sampleContentProvided", .invalidSampleContentProvided)
        _ = try body.integer("deliveryStatus", .invalidDeliveryStatus, in: 0...5)
        _ = try body.required("appAccountToken", .invalidReportedAccountToken) {
            $0.string == "" ? "" : $0.uuid?.uuidString
        }
        _ = try body.integer("accountTenure", .invalidAccountTenure, in: 0...7)
        _ = try body.integer("playTime", .invalidPlayTime, in: 0...7)
        _ = try body.integer("lifetimeDollarsRefunded", .invalidLifetimeDollarsRefunded, in: 0...7)
        _ = try body.integer("lifetimeDollarsPurchased", .invalidLifetimeDollarsPurchased, in: 0...7)
        _ = try body.integer("userStatus", .invalidUserStatus, in: 0...4)
        _ = try body.value("refundPreference", .invalidRefundPreference) { preference in
            preference.integer.flatMap { (0...3).contains($0) ? $0 : nil }
        }
    }

    private static let undeliveredStatuses = [
        "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
    ]
    /// Value of 100 percent, in thousandths of a percent.
    private static let whole: Int64 = 100_000

    private static func checkSecond(_ body: ServerBody) throws(ServerError) {
        try checkConsent(body)
        _ = try body.flag("sampleContentProvided", .invalidSampleContentProvided)
        let status = try body.required("deliveryStatus", .invalidDeliveryStatus) { value in
            value.string.flatMap { $0 == "DELIVERED" || undeliveredStatuses.contains($0) ? $0 : nil }
        }
        let preference = try body.value("refundPreference", .invalidRefundPreference) { value in
            value.string.flatMap { ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains($0) ? $0 : nil }
        }
        let percentage = try body.value("consumptionPercentage", .badRequest) { value in
            value.integer.flatMap { (0...whole).contains($0) ? $0 : nil }
        }
        // Apple has not published the error codes for the following two conditions.
        if status != "DELIVERED", let percentage, percentage != 0 {
            throw ServerError(
                .badRequest, "What was not delivered cannot be consumed: consumptionPercentage must be 0.")
        }
        if preference == "GRANT_PRORATED", let percentage, percentage == 0 || percentage == whole {
            throw ServerError(
                .badRequest, "For a prorated refund, consumptionPercentage must be above 0 and below \(whole).")
        }
    }

    private static func checkConsent(_ body: ServerBody) throws(ServerError) {
        guard try body.flag("customerConsented", .invalidCustomerConsented) else {
            throw ServerError(.invalidCustomerConsented, "Without the customer's consent nothing may be sent.")
        }
    }
}
