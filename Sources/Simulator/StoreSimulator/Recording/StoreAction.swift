internal import Foundation
internal import VitrineCatalog
internal import VitrineReceipts

/// Change of a store by a person, an app or a server, in the form of a recording.
///
/// Customers and devices are numbered from 1 in the order in which they were added, transactions in the order in which
/// the store numbered them. Account tokens, request identifiers and family names are replaced by UUIDs. Dates are in
/// milliseconds since 1970. Changes that time alone causes, such as renewals, are not actions: a replay repeats them
/// too.
enum StoreAction: Codable, Sendable, Hashable {
    // MARK: Time
    /// Scheduled changes were processed, or the recording process has ended.
    case time
    case virtualClock
    case machineClock

    // MARK: Customers
    /// Addition of a device, and of its customer if necessary.
    ///
    /// - Parameter isDefault: `true` for a device with the default name.
    case addDevice(device: Int64, customer: Int64, isDefault: Bool)
    case originalPurchase(customer: Int64, app: App)
    case joinFamily(customer: Int64, family: String)
    case leaveFamily(customer: Int64)

    // MARK: Purchases
    /// Purchase in an app.
    ///
    /// - Parameter introductoryOffer: Decision of the app's server about the offer; `nil` leaves it to the store.
    case purchase(order: Order, asksToBuy: Bool, introductoryOffer: Bool?)
    case purchaseElsewhere(order: Order)
    /// Purchase that a test makes outside the app, possibly in the past.
    case purchaseOutsideApp(order: Order, date: Int64?, isRenewing: Bool)
    case redeem(order: Order)
    case share(order: Order)
    case approve(transaction: Int64)
    case decline(transaction: Int64)
    case resolve(transaction: Int64)
    case finish(transaction: Int64, device: Int64)
    case finishEverywhere(transaction: Int64)
    case delete(transaction: Int64)
    case deleteAll

    // MARK: Refunds
    case requestRefund(transaction: Int64, reason: ConsumptionRequestReason)
    case declineRefund(transaction: Int64)
    /// Refund of a transaction.
    ///
    /// - Parameter percent: Refunded share of the price in percent; `nil` for the whole price or, if `isProrated`,
    ///   for the share of the remaining period.
    case refund(transaction: Int64, percent: Int?, isProrated: Bool)
    case reverseRefund(transaction: Int64)
    case revokeFamily(transaction: Int64)

    // MARK: Subscriptions
    case setRenewal(customer: Int64, product: String, isRenewing: Bool)
    case expire(customer: Int64, product: String)
    case renew(customer: Int64, product: String)
    case failBilling(customer: Int64, product: String)
    case recoverBilling(customer: Int64, product: String)
    case requestConsent(customer: Int64, product: String)
    case consent(customer: Int64, product: String, agrees: Bool)

    // MARK: Products
    /// New price of a product.
    ///
    /// - Parameter price: Price in thousandths of the currency's unit.
    case price(product: String, price: Int, consentRequired: Bool)
    case withdraw(product: String)

    // MARK: Settings
    case asksToBuy(isOn: Bool)
    case offline(isOn: Bool)
    case paymentRestriction(isOn: Bool)
    case storefront(code: String)
    case billingFailing(isOn: Bool)
    case gracePeriod(isOn: Bool)
    case timeRate(rate: TimeRate)
    case interruptsPurchases(isOn: Bool)
    case consumablesToAllDevices(isOn: Bool)
    case environment(environment: StoreEnvironment, appIdentifier: Int64?)
    case notifications(isOn: Bool)
    case resetSettings

    // MARK: Servers
    case setAccountToken(transaction: Int64, token: UUID)
    case extend(transaction: Int64, days: Int, request: String)
    case extendAll(product: String, days: Int, storefronts: [String]?, request: String)
    /// Consumption report of the app's server.
    ///
    /// - Parameter version: Version of the report, 1 or 2.
    case reportConsumption(transaction: Int64, version: Int, report: [String: JSONValue])
    case testNotification
}

extension StoreAction {
    /// Request of a customer to buy a product.
    struct Order: Codable, Sendable, Hashable {
        let customer: Int64
        /// Number of the buying device; `nil` if the store does not know the device.
        let device: Int64?
        let product: String
        let quantity: Int
        /// Price of one unit without a subscription offer, in thousandths of the currency's unit.
        let price: Int
        let storefront: String
        let offer: RequestedOffer?
        let accountToken: UUID?
    }

    /// Original purchase of the app by a customer.
    struct App: Codable, Sendable, Hashable {
        let version: String
        let date: Int64
        let platform: AppPlatform?

        init(_ purchase: OriginalPurchase) {
            (version, date, platform) = (purchase.version, purchase.date.milliseconds, purchase.platform)
        }

        var purchase: OriginalPurchase {
            OriginalPurchase(version: version, date: Date(milliseconds: date), platform: platform)
        }
    }

    static func refund(_ transaction: Int64, _ extent: SimulatedStore.RefundExtent) -> StoreAction {
        switch extent {
        case .full: .refund(transaction: transaction, percent: nil, isProrated: false)
        case .prorated: .refund(transaction: transaction, percent: nil, isProrated: true)
        case .percent(let percent): .refund(transaction: transaction, percent: percent, isProrated: false)
        }
    }
}
