public import Foundation
public import ProductCatalog

/// A transaction as the simulated store keeps it.
public struct SimulatedTransaction: Sendable, Hashable {
    /// Its number, in digits; empty before the store has given it one.
    public internal(set) var id = ""
    public let productIdentifier: String
    public let kind: ProductKind
    public let quantity: Int
    public let purchaseDate: Date
    /// The price of one unit, in thousandths of the currency's unit.
    public let price: Int
    /// The currency, as ISO 4217 names it.
    public let currency: String
    /// The storefront's country, as ISO 3166-1 alpha-3 names it.
    public let storefront: String
    /// When the store took it back; `nil` for one that counts.
    public internal(set) var revocationDate: Date?
    /// The app has said that it is delivered or, if it was taken back, that this is recorded.
    public internal(set) var isFinished = false
}
