public import Foundation
public import ProductCatalog
public import Receipts

/// Purchase in the simulated store: a transaction, or a purchase that waits for approval.
public struct SimulatedTransaction: Sendable, Hashable {
    /// Transaction number, in digits; empty before the store has assigned one.
    public internal(set) var id = ""
    public let productIdentifier: String
    public let kind: ProductKind
    public let quantity: Int
    /// Date of the purchase or approval; for a pending purchase, the date of the request.
    public let purchaseDate: Date
    /// Price of one unit, in thousandths of the currency's unit.
    public let price: Int
    /// Currency, as an ISO 4217 code.
    public let currency: String
    /// Country of the storefront, as an ISO 3166-1 alpha-3 code.
    public let storefront: String
    /// Ownership type: bought by the customer, or shared by a member of their family.
    public internal(set) var ownershipType = OwnershipType.purchased
    /// Token that the app passed with the purchase to identify one of its accounts.
    public internal(set) var accountToken: UUID?
    /// Date of the revocation; `nil` for a valid transaction.
    public internal(set) var revocationDate: Date?
    /// `true` if the app has finished the transaction: it is delivered or, if it was revoked, the revocation is
    /// recorded.
    public internal(set) var isFinished = false
    /// `true` if the purchase waits for approval and is not a transaction yet.
    public internal(set) var isPending = false
    /// Earliest date with which the transaction's current state may be signed.
    var signedFrom = Date(timeIntervalSince1970: 0)
}
