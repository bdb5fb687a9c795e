public import Foundation
public import ProductCatalog

extension Fact {
    /// What the store has signed, verified, that a fact was read from: a transaction, or a receipt with it.
    public struct Origin: Sendable, Hashable {
        /// What was bought: the first transaction of a purchase that lasts, and of a subscription each period by itself.
        public var purchaseID: String
        /// The first transaction of this purchase: under it a restored or renewed one is known too.
        public var originalTransactionID: String
        public var transactionID: String
        public var productIdentifier: String
        /// The environment of the store that signed it.
        public var environment: String
        /// When the store signed it. Of two that say different things the one that was signed later counts.
        public var signedDate: Date
        /// The signed transaction as it was received; empty where it was left out on reading, and for what was read from
        /// a receipt.
        public var signedData: String
        /// The digest of the receipt that it was read from, which is recorded as a fact of its own; `nil` for a signed
        /// transaction.
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

        /// What was said about which purchase, and when.
        var saying: String { "\(purchaseID) \(signedDate.milliseconds)" }
    }

    /// Something was bought: a product, or a period of a subscription.
    public struct Purchase: Sendable, Hashable {
        public var origin: Origin
        /// What the store says the product is. A consumable is credited, anything else owned.
        public var kind: ProductKind
        /// Units bought; above zero.
        public var quantity: Int
        public var purchaseDate: Date
        /// Until when it lasts; `nil` for what lasts for ever, and for consumables.
        public var period: Period?
        /// Somebody of the customer's family bought it, and shares it.
        public var isFamilyShared: Bool
        /// What the app gave with the purchase to tell one of its accounts from another.
        public var accountToken: UUID?
        /// The identifiers of everything that the product contained when it was bought. They stay with the purchase,
        /// whatever later catalogs take out of the bundle.
        public var contents: [String]

        public init(
            origin: Origin, kind: ProductKind, quantity: Int, purchaseDate: Date, period: Period? = nil,
            isFamilyShared: Bool = false, accountToken: UUID? = nil, contents: [String] = []
        ) {
            self.origin = origin
            self.kind = kind
            self.quantity = quantity
            self.purchaseDate = purchaseDate
            self.period = period
            self.isFamilyShared = isFamilyShared
            self.accountToken = accountToken
            self.contents = contents
        }

        public var productIdentifier: String { origin.productIdentifier }
    }

    /// Until when a period of a subscription lasts.
    public struct Period: Sendable, Hashable {
        public var expirationDate: Date
        /// Until when it is given beyond that, while the store tries to charge for the next one.
        public var gracePeriodExpirationDate: Date?
        /// The customer has changed to a better subscription of the group: it does not count any more.
        public var isUpgraded: Bool

        public init(expirationDate: Date, gracePeriodExpirationDate: Date? = nil, isUpgraded: Bool = false) {
            self.expirationDate = expirationDate
            self.gracePeriodExpirationDate = gracePeriodExpirationDate
            self.isUpgraded = isUpgraded
        }

        /// From when on it does not count.
        public var end: Date {
            isUpgraded ? .distantPast : max(expirationDate, gracePeriodExpirationDate ?? expirationDate)
        }
    }

    /// The store has said later until when a period lasts: it was extended, is in grace, or was given up for a better
    /// one.
    public struct Term: Sendable, Hashable {
        public var origin: Origin
        public var period: Period

        public init(origin: Origin, period: Period) {
            self.origin = origin
            self.period = period
        }
    }

    /// The store has taken a purchase back: it does not count any more.
    public struct Revocation: Sendable, Hashable {
        public var origin: Origin
        public var revocationDate: Date
        /// The units that were taken out of the wallet that the purchase had credited; above zero. The ledger fills it
        /// in, by the credit's refund policy.
        public var takenBack: WalletAmount?

        public init(origin: Origin, revocationDate: Date, takenBack: WalletAmount? = nil) {
            self.origin = origin
            self.revocationDate = revocationDate
            self.takenBack = takenBack
        }

        public var productIdentifier: String { origin.productIdentifier }
    }

    /// The store has given back what it had taken: the purchase counts again.
    public struct Reinstatement: Sendable, Hashable {
        public var origin: Origin
        /// The units that went back into the wallet: as many as the revocation had taken. The ledger fills it in.
        public var givenBack: WalletAmount?

        public init(origin: Origin, givenBack: WalletAmount? = nil) {
            self.origin = origin
            self.givenBack = givenBack
        }
    }

    /// How the customer first got the app, as the store has signed it.
    public struct AppPurchase: Sendable, Hashable {
        public var original: OriginalPurchase
        /// The environment of the store that signed it.
        public var environment: String
        /// When the store signed it.
        public var signedDate: Date
        /// The signed app transaction as it was received; empty where it was left out on reading, and for what was read
        /// from a receipt.
        public var signedData: String
        /// The digest of the receipt that it was read from; `nil` for a signed app transaction.
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

        /// It counts in the place of what was recorded before: what a receipt says gives way to an app transaction, and to
        /// a later receipt.
        package func replaces(_ earlier: AppPurchase?) -> Bool {
            guard let earlier, receiptDigest != nil else { return true }
            return earlier.receiptDigest != nil && signedDate > earlier.signedDate
        }
    }

    /// A receipt that facts were read from, which it proves. It is recorded with the first of them.
    public struct Receipt: Sendable, Hashable {
        /// SHA-256 of its bytes, in hexadecimal.
        public var digest: String
        /// The environment of the store that signed it.
        public var environment: String
        /// When the store issued it.
        public var signedDate: Date
        /// The receipt as it was received, in base64; empty where it was left out on reading.
        public var signedData: String

        public init(digest: String, environment: String, signedDate: Date, signedData: String) {
            self.digest = digest
            self.environment = environment
            self.signedDate = signedDate
            self.signedData = signedData
        }
    }
}
