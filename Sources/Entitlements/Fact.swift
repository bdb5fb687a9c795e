public import Foundation
public import ProductCatalog

/// Something that happened and that a customer's ownership or wallets follow from.
public enum Fact: Sendable, Hashable {
    case purchase(Purchase)
    case grant(Grant)
    case credit(Credit)
    case debit(Debit)
    case revocation(Revocation)
    case appPurchase(AppPurchase)

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

    /// The store has taken a purchase back. Everything with its original transaction counts no longer.
    public struct Revocation: Sendable, Hashable {
        /// The first transaction of the purchase that was taken back.
        public var originalTransactionID: String
        public var transactionID: String
        public var productIdentifier: String
        public var revocationDate: Date
        /// The environment of the store that signed it.
        public var environment: String
        /// The signed transaction with its revocation, as it was received.
        public var signedData: String
        /// The units that were taken out of the wallet that the purchase had credited: as many as it had credited, or
        /// as many as were left. The ledger fills it in.
        public var takenBack: WalletAmount?

        public init(
            originalTransactionID: String, transactionID: String, productIdentifier: String, revocationDate: Date,
            environment: String, signedData: String, takenBack: WalletAmount? = nil
        ) {
            self.originalTransactionID = originalTransactionID
            self.transactionID = transactionID
            self.productIdentifier = productIdentifier
            self.revocationDate = revocationDate
            self.environment = environment
            self.signedData = signedData
            self.takenBack = takenBack
        }
    }

    /// How the customer first got the app, as the store has signed it.
    public struct AppPurchase: Sendable, Hashable {
        public var original: OriginalPurchase
        /// The environment of the store that signed it.
        public var environment: String
        /// When the store signed it.
        public var signedDate: Date
        /// The signed app transaction as it was received.
        public var signedData: String

        public init(original: OriginalPurchase, environment: String, signedDate: Date, signedData: String) {
            self.original = original
            self.environment = environment
            self.signedDate = signedDate
            self.signedData = signedData
        }
    }

    /// A number of units in a wallet.
    public struct WalletAmount: Sendable, Hashable {
        public var wallet: String
        /// Above zero.
        public var amount: Int

        public init(wallet: String, amount: Int) {
            self.wallet = wallet
            self.amount = amount
        }
    }

    /// What kind of fact it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case purchase, grant, credit, debit, revocation, appPurchase
    }

    public var kind: Kind {
        switch self {
        case .purchase: .purchase
        case .grant: .grant
        case .credit: .credit
        case .debit: .debit
        case .revocation: .revocation
        case .appPurchase: .appPurchase
        }
    }

    /// What makes the fact the same as another of its kind: the original transaction, the caller's token, or what the
    /// store said at a time about how the app was got.
    public var key: String {
        switch self {
        case .purchase(let purchase): purchase.originalTransactionID
        case .grant(let grant): grant.token
        case .credit(let credit): credit.originalTransactionID
        case .debit(let debit): debit.token
        case .revocation(let revocation): revocation.originalTransactionID
        case .appPurchase(let purchase):
            "\(purchase.environment) \(purchase.original.platform?.rawValue ?? "-") \(purchase.original.version) "
                + "\(purchase.original.date.milliseconds) \(purchase.signedDate.milliseconds)"
        }
    }

    /// The wallet that the fact changes, and by how much.
    public var walletChange: (wallet: String, amount: Int)? {
        switch self {
        case .credit(let credit): (credit.wallet, credit.amount)
        case .debit(let debit): (debit.wallet, -debit.amount)
        case .revocation(let revocation): revocation.takenBack.map { ($0.wallet, -$0.amount) }
        case .purchase, .grant, .appPurchase: nil
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
        case (.revocation(let left), .revocation(let right)): left.productIdentifier != right.productIdentifier
        default: false
        }
    }
}
