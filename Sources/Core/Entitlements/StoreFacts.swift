public import Foundation
public import VitrineCatalog

extension Fact {
    /// Verified, signed store data that is the source of a fact: a transaction, or an entry of a receipt.
    public struct Origin: Sendable, Hashable {
        /// Identifier of the purchase. For a subscription, it is the transaction of one period, otherwise the first
        /// transaction.
        public var purchaseID: String
        /// First transaction of the purchase. It also identifies the transactions that restore or renew the purchase.
        public var originalTransactionID: String
        public var transactionID: String
        public var productIdentifier: String
        /// Environment of the store that signed the data.
        public var environment: String
        /// Signing date of the data. If signed data is contradictory, the data signed last applies.
        public var signedDate: Date
        /// Signed transaction as it was received; empty for data from a receipt, and in an entry that was read without
        /// its signed data.
        public var signedData: String
        /// Digest of the receipt that is the source of the data and is recorded as a fact of its own; `nil` for a
        /// signed transaction.
        public var receiptDigest: String?

        public init(
            purchaseID: String, originalTransactionID: String, transactionID: String, productIdentifier: String,
            environment: String, signedDate: Date, signedData: String, receiptDigest: String? = nil
        ) {
            self.purchaseID = purchaseID
            self.originalTransactionID = originalTransactionID
            self.transactionID = transactionID
            self.productIdentifier = productIdentifier
            self.environment = environment
            self.signedDate = signedDate
            self.signedData = signedData
            self.receiptDigest = receiptDigest
        }

        /// Key of the signed data: the purchase ID and the signing date.
        var statementKey: String { "\(purchaseID) \(signedDate.milliseconds)" }
    }

    /// Purchase of a product or of a period of a subscription.
    public struct Purchase: Sendable, Hashable {
        public var origin: Origin
        /// Type of the product according to the store. A consumable is credited to a wallet; products of other types
        /// are owned.
        public var kind: ProductKind
        /// Number of purchased units; above zero.
        public var quantity: Int
        public var purchaseDate: Date
        /// Date of the first transaction of the purchase, if this transaction restores or renews it; `nil` if this is
        /// the first one.
        public var originalPurchaseDate: Date?
        /// Period in which the purchase is valid; `nil` for purchases that never expire, and for consumables.
        public var period: Period?
        /// `true` if a member of the customer's family bought the product and shares it.
        public var isFamilyShared: Bool
        /// Token that the app passed with the purchase to identify one of its accounts.
        public var accountToken: UUID?
        /// Identifiers of all products that the purchased product contained at purchase time. They remain part of the
        /// purchase when later catalogs remove them from the bundle.
        public var contents: [String]

        public init(
            origin: Origin, kind: ProductKind, quantity: Int, purchaseDate: Date, originalPurchaseDate: Date? = nil,
            period: Period? = nil, isFamilyShared: Bool = false, accountToken: UUID? = nil, contents: [String] = []
        ) {
            self.origin = origin
            self.kind = kind
            self.quantity = quantity
            self.purchaseDate = purchaseDate
            self.originalPurchaseDate = originalPurchaseDate
            self.period = period
            self.isFamilyShared = isFamilyShared
            self.accountToken = accountToken
            self.contents = contents
        }

        public var productIdentifier: String { origin.productIdentifier }

        /// `true` if units may be credited for the purchase: of a consumable, and of a subscription's period that the
        /// customer has paid for. A period that a member of the family shares was paid for by another customer.
        package var mayCreditUnits: Bool {
            kind == .consumable || kind == .autoRenewableSubscription && !isFamilyShared
        }
    }

    /// Period of a subscription during which a purchase is valid. A grace period after it is part of the renewal data.
    public struct Period: Sendable, Hashable {
        public var expirationDate: Date
        /// `true` if the customer has changed to a better subscription of the group; the period is then no longer
        /// valid.
        public var isUpgraded: Bool

        public init(expirationDate: Date, isUpgraded: Bool = false) {
            self.expirationDate = expirationDate
            self.isUpgraded = isUpgraded
        }

        /// End of the period's validity.
        public var end: Date { isUpgraded ? .distantPast : expirationDate }
    }

    /// Later change of a subscription's period by the store: the period was extended, or was upgraded to a better
    /// subscription.
    public struct Term: Sendable, Hashable {
        public var origin: Origin
        public var period: Period

        public init(origin: Origin, period: Period) {
            self.origin = origin
            self.period = period
        }
    }

    /// Revocation of a purchase by the store: the purchase is no longer valid.
    public struct Revocation: Sendable, Hashable {
        public var origin: Origin
        public var revocationDate: Date
        /// Refunded part of the price, in thousandths of a percent; `nil` for the whole price.
        public var percentage: Int?
        /// Units that the revocation removed from the wallet that the purchase had credited; below zero if it returned
        /// units, because it refunds less than the revocation that it replaces. The ledger sets the value according to
        /// the credit's refund policy.
        public var debited: WalletAmount?

        public init(
            origin: Origin, revocationDate: Date, percentage: Int? = nil, debited: WalletAmount? = nil
        ) {
            self.origin = origin
            self.revocationDate = revocationDate
            self.percentage = percentage
            self.debited = debited
        }

        public var productIdentifier: String { origin.productIdentifier }

        /// Refunded part of the price, in thousandths of a percent: from 0 to 100,000.
        package var part: Int { percentage.flatMap { (0..<100_000).contains($0) ? $0 : nil } ?? 100_000 }

        /// Returns the part of a credit's units that corresponds to the refunded part of the price. It is rounded down
        /// in favor of the customer.
        package func share(of units: Int) -> Int {
            let (whole, rest) = units.quotientAndRemainder(dividingBy: 100_000)
            return whole * part + rest * part / 100_000
        }

        /// Key of the signed data. Data with the same signing date may contain another part or date.
        var key: String { "\(origin.statementKey) \(part) \(revocationDate.milliseconds)" }

        /// Returns `true` if another revocation of the purchase has the same content, apart from the signed data.
        func agrees(with other: Revocation) -> Bool { terms == other.terms }

        /// Returns `true` if this revocation applies instead of another one that was signed at the same time: it refunds
        /// a larger part, or the same part at a later date.
        func takesMore(than other: Revocation) -> Bool { terms > other.terms }

        private var terms: (part: Int, date: Int64) { (part, revocationDate.milliseconds) }
    }

    /// Reversal of a revocation by the store: the purchase is valid again.
    public struct Reinstatement: Sendable, Hashable {
        public var origin: Origin
        /// Units that were returned to the wallet: as many as revocations had removed. The ledger sets the value.
        public var credited: WalletAmount?

        public init(origin: Origin, credited: WalletAmount? = nil) {
            self.origin = origin
            self.credited = credited
        }
    }

    /// Original purchase of the app by the customer, as signed by the store.
    public struct AppPurchase: Sendable, Hashable {
        public var original: OriginalPurchase
        /// Environment of the store that signed the original purchase of the app.
        public var environment: String
        /// Signing date of the original purchase of the app.
        public var signedDate: Date
        /// Signed app transaction as it was received; empty for data from a receipt, and in an entry that was read
        /// without its signed data.
        public var signedData: String
        /// Digest of the receipt that is the source of the data; `nil` for a signed app transaction.
        public var receiptDigest: String?

        public init(
            original: OriginalPurchase, environment: String, signedDate: Date, signedData: String,
            receiptDigest: String? = nil
        ) {
            self.original = original
            self.environment = environment
            self.signedDate = signedDate
            self.signedData = signedData
            self.receiptDigest = receiptDigest
        }

        /// Returns `true` if this record replaces the previous one: an app transaction and a later receipt take
        /// precedence over an earlier receipt.
        package func replaces(_ earlier: AppPurchase?) -> Bool {
            guard let earlier, receiptDigest != nil else { return true }
            return earlier.receiptDigest != nil && signedDate > earlier.signedDate
        }
    }

    /// Receipt as proof of the facts that were read from it. It is recorded with the first of these facts.
    public struct Receipt: Sendable, Hashable {
        /// SHA-256 digest of the receipt's bytes, in hexadecimal.
        public var digest: String
        /// Environment of the store that signed the receipt.
        public var environment: String
        /// Issue date of the receipt.
        public var signedDate: Date
        /// Receipt as it was received, in Base64; empty in an entry that was read without its signed data.
        public var signedData: String

        public init(digest: String, environment: String, signedDate: Date, signedData: String) {
            self.digest = digest
            self.environment = environment
            self.signedDate = signedDate
            self.signedData = signedData
        }
    }
}
