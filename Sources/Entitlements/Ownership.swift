public import Foundation

/// Ownership of a product by a customer, with the reasons.
public enum Ownership: Sendable, Hashable {
    /// The product is owned for at least one reason.
    case owned(because: [Reason])
    /// The product is not owned: no fact and nothing in the complete catalog makes it owned.
    case notOwned
    /// The ownership is undetermined. The product must be treated as neither owned nor not owned.
    case unknown(UnknownReason)

    /// Reason why a product is owned.
    public enum Reason: Sendable, Hashable {
        /// The product itself was purchased.
        case transaction(OwnTransaction)
        /// The product was granted outside the store.
        case grant(reason: String, author: String, date: Date, expirationDate: Date?)
        /// A bundle that contains the product is owned; the ownership of the bundle gives the reason for that.
        case bundle(identifier: String)
        /// A purchased bundle contained the product at purchase time and no longer contains it. The customer keeps the
        /// contents at purchase time.
        case formerBundle(identifier: String, transactionID: String, purchaseDate: Date)
    }

    /// Valid purchase of the product itself.
    public struct OwnTransaction: Sendable, Hashable {
        public var id: String
        public var purchaseDate: Date
        /// Expiration date, unless the purchase is renewed; `nil` if it never expires.
        public var expirationDate: Date?
        /// `true` if the purchase has expired and access continues while the store tries to charge for the next period.
        public var isInGracePeriod: Bool
        /// `true` if a member of the customer's family bought the product and shares it.
        public var isFamilyShared: Bool

        public init(
            id: String, purchaseDate: Date, expirationDate: Date? = nil, isInGracePeriod: Bool = false,
            isFamilyShared: Bool = false
        ) {
            self.id = id
            self.purchaseDate = purchaseDate
            self.expirationDate = expirationDate
            self.isInGracePeriod = isInGracePeriod
            self.isFamilyShared = isFamilyShared
        }
    }

    /// Reason why the ownership cannot be determined.
    public enum UnknownReason: Sendable, Hashable {
        /// No catalog could be loaded, so the contents of the owned bundles are unknown.
        case noCatalog
        /// The catalog has errors, and an owned product could not be found in it.
        case incompleteCatalog(owned: String)
        /// A grandfathering rule applies to the product, or to a bundle that contains it, and the original purchase of
        /// the app is unknown or does not decide the rule.
        ///
        /// - Parameter product: The product that has the rule.
        case grandfathering(product: String)
        /// An earlier ledger was lost, and the purchases known to the store have not been read into the new one yet.
        case ledgerLost(reason: String)
    }

    public var isOwned: Bool {
        if case .owned = self { true } else { false }
    }
}

/// Number of units in a wallet.
public enum WalletBalance: Sendable, Hashable {
    case known(Int)
    /// An earlier ledger was lost, together with the deposits and debits recorded in it. The associated value is the
    /// number of units that were added since and can be spent.
    case unknown(atLeast: Int)

    /// Number of units that are known to be in the wallet and can be spent.
    public var units: Int {
        switch self {
        case .known(let units), .unknown(let units): units
        }
    }
}
