public import Foundation
public import ProductCatalog

extension Fact {
    /// A product given outside the store.
    public struct Grant: Sendable, Hashable {
        /// The caller's own name for this grant: the same token grants once.
        public var token: String
        public var productIdentifier: String
        /// Why, in words.
        public var reason: String
        /// Who gave it, in words; empty where nobody is named.
        public var author: String
        /// Until when it lasts; `nil` for ever.
        public var expirationDate: Date?

        public init(
            token: String, productIdentifier: String, reason: String, author: String = "", expirationDate: Date? = nil
        ) {
            self.token = token
            self.productIdentifier = productIdentifier
            self.reason = reason
            self.author = author
            self.expirationDate = expirationDate
        }
    }

    /// Every grant of a product up to here counts no longer. Purchases are not touched.
    public struct Lock: Sendable, Hashable {
        /// The caller's own name for this: the same token locks once.
        public var token: String
        public var productIdentifier: String
        /// Why, in words.
        public var reason: String
        /// Who did it, in words; empty where nobody is named.
        public var author: String

        public init(token: String, productIdentifier: String, reason: String, author: String = "") {
            self.token = token
            self.productIdentifier = productIdentifier
            self.reason = reason
            self.author = author
        }
    }

    /// Units that a purchase adds to a wallet. Recorded together with that purchase.
    public struct Credit: Sendable, Hashable {
        /// The purchase that earns it: its original transaction.
        public var purchaseID: String
        public var productIdentifier: String
        public var wallet: String
        /// Above zero.
        public var amount: Int
        /// What becomes of them if the store takes the purchase back.
        public var refundPolicy: RefundPolicy

        public init(
            purchaseID: String, productIdentifier: String, wallet: String, amount: Int,
            refundPolicy: RefundPolicy = .clawback
        ) {
            self.purchaseID = purchaseID
            self.productIdentifier = productIdentifier
            self.wallet = wallet
            self.amount = amount
            self.refundPolicy = refundPolicy
        }
    }

    /// Units that are put into a wallet without a purchase: what every customer begins with, what another library had
    /// counted, a present.
    public struct Deposit: Sendable, Hashable {
        /// The caller's own name for this: the same token adds once.
        public var token: String
        public var wallet: String
        /// Above zero.
        public var amount: Int
        /// Why, in words.
        public var reason: String

        public init(token: String, wallet: String, amount: Int, reason: String) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
            self.reason = reason
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

    /// The content of a product was installed in the home of this ledger.
    ///
    /// It makes nothing owned, and says nothing of what is there now: content may be removed to make room, and had
    /// again. That is not recorded.
    public struct Content: Sendable, Hashable {
        public var productIdentifier: String
        /// The package's `ContentVersion`.
        public var version: String
        /// SHA-256 of the archive or the manifest that it came from, in 64 small hexadecimal digits; `nil` where it came
        /// from neither.
        public var digest: String?
        /// Where it was installed: a path in the folder with the content.
        public var path: String

        public init(productIdentifier: String, version: String, digest: String? = nil, path: String) {
            self.productIdentifier = productIdentifier
            self.version = version
            self.digest = digest
            self.path = path
        }
    }

    /// An earlier ledger could not be read any more. What it had and the store cannot give back is missing from here on:
    /// finished consumables, spending, grants.
    public struct Loss: Sendable, Hashable {
        public var token: String
        /// What happened, in words.
        public var reason: String

        public init(token: String, reason: String) {
            self.token = token
            self.reason = reason
        }
    }

    /// Somebody has looked at what a loss has left: the balances are what this ledger says.
    public struct Settlement: Sendable, Hashable {
        public var token: String
        /// Why, in words.
        public var reason: String
        /// Who says so, in words; empty where nobody is named.
        public var author: String

        public init(token: String, reason: String, author: String = "") {
            self.token = token
            self.reason = reason
            self.author = author
        }
    }

    /// Something that is to be remembered, and changes nothing by itself: that another library's state was taken over.
    public struct Note: Sendable, Hashable {
        /// The caller's own name for this: the same token is noted once.
        public var token: String
        /// What happened, in words.
        public var reason: String

        public init(token: String, reason: String) {
            self.token = token
            self.reason = reason
        }
    }
}
