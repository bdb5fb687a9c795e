public import Foundation

/// Whether a customer owns a product, and why.
public enum Ownership: Sendable, Hashable {
    /// Owned, for at least one reason.
    case owned(because: [Reason])
    /// Every fact and the whole catalog were looked at, and nothing makes it owned.
    case notOwned
    /// It cannot be told now. Neither owned nor not owned follows.
    case unknown(UnknownReason)

    /// What makes a product owned.
    public enum Reason: Sendable, Hashable {
        /// It was bought itself.
        case transaction(OwnTransaction)
        /// It was given outside the store.
        case grant(reason: String, author: String, date: Date, expirationDate: Date?)
        /// A bundle that contains it is owned: ask for that one's ownership to learn why.
        case bundle(identifier: String)
        /// A bundle contained it when that was bought, and does not any more. What was bought stays.
        case formerBundle(identifier: String, transactionID: String, purchaseDate: Date)
    }

    /// A purchase of the product itself that counts.
    public struct OwnTransaction: Sendable, Hashable {
        public var id: String
        public var purchaseDate: Date
        /// Until when it lasts, unless it is renewed; `nil` for ever.
        public var expirationDate: Date?
        /// It has expired, and is given all the same while the store tries to charge for the next period.
        public var isInGracePeriod: Bool
        /// Somebody of the customer's family bought it, and shares it.
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

    /// Why it cannot be told.
    public enum UnknownReason: Sendable, Hashable {
        /// No catalog could be loaded, so nobody knows what the owned bundles contain.
        case noCatalog
        /// The catalog has errors, and something that is owned could not be found in it.
        case incompleteCatalog(owned: String)
        /// It, or a bundle that contains it, is owned by whoever got the app early enough, and how the customer got
        /// the app is not known, or does not tell.
        case grandfathering(product: String)
        /// An earlier ledger was lost, and what the store knows has not been read into the new one yet.
        case ledgerLost(reason: String)
    }

    public var isOwned: Bool {
        if case .owned = self { true } else { false }
    }
}

/// The units in a wallet.
public enum WalletBalance: Sendable, Hashable {
    case known(Int)
    /// An earlier ledger was lost, and with it what had been put in and spent before. So many units have been added
    /// since and can be spent.
    case unknown(atLeast: Int)

    /// The units that are known to be there, and can be spent.
    public var units: Int {
        switch self {
        case .known(let units), .unknown(let units): units
        }
    }
}
