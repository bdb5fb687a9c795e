public import Foundation
public import ProductCatalog

/// Something that happened and that a customer's ownership or wallets follow from.
public enum Fact: Sendable, Hashable {
    case purchase(Purchase)
    case grant(Grant)
    case credit(Credit)
    case debit(Debit)

    /// A verified transaction of the store.
    public struct Purchase: Sendable, Hashable {
        /// The first transaction of this purchase: under it a restored one is recorded too.
        public var originalTransactionID: String
        public var transactionID: String
        public var productIdentifier: String
        /// What the store says the product is. A consumable is credited, anything else owned.
        public var kind: ProductKind
        /// Units bought; above zero.
        public var quantity: Int
        public var purchaseDate: Date
        /// The environment of the store that signed it.
        public var environment: String
        /// The signed transaction as it was received.
        public var signedData: String

        public init(
            originalTransactionID: String, transactionID: String, productIdentifier: String, kind: ProductKind,
            quantity: Int, purchaseDate: Date, environment: String, signedData: String
        ) {
            self.originalTransactionID = originalTransactionID
            self.transactionID = transactionID
            self.productIdentifier = productIdentifier
            self.kind = kind
            self.quantity = quantity
            self.purchaseDate = purchaseDate
            self.environment = environment
            self.signedData = signedData
        }
    }

    /// A product given outside the store.
    public struct Grant: Sendable, Hashable {
        /// The caller's own name for this grant: the same token grants once.
        public var token: String
        public var productIdentifier: String
        /// Why, in words.
        public var reason: String

        public init(token: String, productIdentifier: String, reason: String) {
            self.token = token
            self.productIdentifier = productIdentifier
            self.reason = reason
        }
    }

    /// Units that a purchase adds to a wallet. Recorded together with that purchase.
    public struct Credit: Sendable, Hashable {
        /// The purchase that earns it.
        public var originalTransactionID: String
        public var productIdentifier: String
        public var wallet: String
        /// Above zero.
        public var amount: Int

        public init(originalTransactionID: String, productIdentifier: String, wallet: String, amount: Int) {
            self.originalTransactionID = originalTransactionID
            self.productIdentifier = productIdentifier
            self.wallet = wallet
            self.amount = amount
        }
    }

    /// Units that the app takes from a wallet.
    public struct Debit: Sendable, Hashable {
        /// The caller's own name for this spending: the same token spends once.
        public var token: String
        public var wallet: String
        /// Above zero.
        public var amount: Int

        public init(token: String, wallet: String, amount: Int) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
        }
    }

    /// What kind of fact it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case purchase, grant, credit, debit
    }

    public var kind: Kind {
        switch self {
        case .purchase: .purchase
        case .grant: .grant
        case .credit: .credit
        case .debit: .debit
        }
    }

    /// What makes the fact the same as another of its kind: the original transaction, or the caller's token.
    public var key: String {
        switch self {
        case .purchase(let purchase): purchase.originalTransactionID
        case .grant(let grant): grant.token
        case .credit(let credit): credit.originalTransactionID
        case .debit(let debit): debit.token
        }
    }

    /// The wallet that the fact changes, and by how much.
    public var walletChange: (wallet: String, amount: Int)? {
        switch self {
        case .credit(let credit): (credit.wallet, credit.amount)
        case .debit(let debit): (debit.wallet, -debit.amount)
        case .purchase, .grant: nil
        }
    }

    /// The two have the same kind and key, and yet cannot both be true.
    ///
    /// A replayed purchase may be signed anew, and the catalog may have given its product another value since: the
    /// credit that was written first counts.
    public func contradicts(_ other: Fact) -> Bool {
        switch (self, other) {
        case (.purchase(let left), .purchase(let right)): left.productIdentifier != right.productIdentifier
        case (.grant(let left), .grant(let right)): left.productIdentifier != right.productIdentifier
        case (.credit(let left), .credit(let right)): left.productIdentifier != right.productIdentifier
        case (.debit(let left), .debit(let right)): left != right
        default: false
        }
    }
}
