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
        case transaction(id: String, purchaseDate: Date)
        /// It was given outside the store.
        case grant(reason: String, date: Date)
        /// A bundle that contains it is owned: ask for that one's ownership to learn why.
        case bundle(identifier: String)
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
    }

    public var isOwned: Bool {
        if case .owned = self { true } else { false }
    }
}
