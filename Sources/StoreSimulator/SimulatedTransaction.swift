public import Foundation
public import ProductCatalog
public import Receipts

/// A purchase as the simulated store keeps it: a transaction, or one that somebody has to approve before.
public struct SimulatedTransaction: Sendable, Hashable {
    /// Its number, in digits; empty before the store has given it one.
    public internal(set) var id = ""
    public let productIdentifier: String
    public let kind: ProductKind
    public let quantity: Int
    /// When it was bought or approved; of a pending one, when it was asked for.
    public let purchaseDate: Date
    /// The price of one unit, in thousandths of the currency's unit.
    public let price: Int
    /// The currency, as ISO 4217 names it.
    public let currency: String
    /// The storefront's country, as ISO 3166-1 alpha-3 names it.
    public let storefront: String
    /// Whether the customer bought it, or somebody of their family shares it.
    public internal(set) var ownershipType = OwnershipType.purchased
    /// What the app gave with the purchase to tell one of its accounts from another.
    public internal(set) var accountToken: UUID?
    /// When the store took it back; `nil` for one that counts.
    public internal(set) var revocationDate: Date?
    /// The app has said that it is delivered or, if it was taken back, that this is recorded.
    public internal(set) var isFinished = false
    /// Somebody has to approve it: it is no transaction yet.
    public internal(set) var isPending = false
    /// It is signed with no earlier date than this.
    var signedFrom = Date(timeIntervalSince1970: 0)
}
