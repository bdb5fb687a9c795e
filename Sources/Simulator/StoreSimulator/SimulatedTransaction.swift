public import Foundation
public import VitrineCatalog
public import VitrineReceipts

/// Purchase in the simulated store: a transaction, or a pending purchase that waits for approval or until the customer
/// resolves an issue.
public struct SimulatedTransaction: Sendable, Hashable {
    /// Transaction number, in digits.
    public let id: String
    /// Number of the first transaction of the purchase or subscription. It differs from ``id`` for the later periods of
    /// a subscription.
    public let originalID: String
    public let productIdentifier: String
    public let kind: ProductKind
    public let quantity: Int
    /// Date of the purchase or approval; for a pending purchase, the date of the request.
    public let purchaseDate: Date
    /// Date of the first transaction of the purchase or subscription.
    public let originalPurchaseDate: Date
    /// Price of the whole quantity, in thousandths of the currency's unit.
    public let price: Int
    /// Currency, as an ISO 4217 code.
    public let currency: String
    /// Country of the storefront, as an ISO 3166-1 alpha-3 code.
    public let storefront: String
    /// Ownership type: bought by the customer, or shared by a member of their family.
    public let ownershipType: OwnershipType
    /// Token that the app passed with the purchase to identify an account of the app.
    public let accountToken: UUID?
    /// Date of the revocation; `nil` for a valid transaction.
    public let revocationDate: Date?
    public let revocationType: RevocationType?
    /// Refunded share of the price, in thousandths of a percent.
    public let revocationPercentage: Int?
    /// Identifier of the subscription group; `nil` for a product that is not an auto-renewable subscription.
    public let groupID: String?
    /// End of the period of an auto-renewable subscription; `nil` for other products.
    public let expirationDate: Date?
    /// `true` if the store made the transaction by renewing a subscription.
    public let isRenewal: Bool
    /// `true` if the customer upgraded to a better subscription before the period ended.
    public let isUpgraded: Bool
    let offer: AppliedOffer?
    /// `true` if the app on this device has finished the transaction: it is delivered or, if it was revoked, the
    /// revocation is recorded.
    public let isFinished: Bool
    /// `true` if the purchase waits for approval or until the customer resolves an issue, and is not a transaction yet.
    public let isPending: Bool
    /// `true` if the purchase waits until the customer resolves an issue, `false` if it waits for approval.
    public let isInterrupted: Bool
    /// Number that identifies the customer in the store.
    let customer: Int64
    /// Earliest date for signatures of the transaction's current state.
    let signedFrom: Date

    /// Identifier of the order, which the customer receives by mail and the App Store Server API looks up; `nil` for a
    /// pending purchase.
    public var orderIdentifier: String? { isPending ? nil : Int64(id).map(OrderIdentifier.identifier) }

    /// Type of the offer that set the price; `nil` for a purchase without an offer.
    public var offerType: OfferType? { offer?.type }
    /// Identifier of the offer that set the price; `nil` for an introductory offer and without an offer.
    public var offerIdentifier: String? { offer?.identifier }
}
