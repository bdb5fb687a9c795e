public import Foundation
public import VitrineCatalog

extension Fact {
    /// Grant of a product outside the store.
    public struct Grant: Sendable, Hashable {
        /// Identifier of the grant, chosen by the caller. A grant with the same token is recorded only once.
        public var token: String
        public var productIdentifier: String
        /// Reason for the grant, as text for display.
        public var reason: String
        /// Author of the grant, as text; empty if no author is named.
        public var author: String
        /// Expiration date of the grant; `nil` if the grant never expires.
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

    /// Lock that ends every grant of a product recorded before it. Purchases are not affected.
    public struct Lock: Sendable, Hashable {
        /// Identifier of the lock, chosen by the caller. A lock with the same token is recorded only once.
        public var token: String
        public var productIdentifier: String
        /// Reason for the lock, as text.
        public var reason: String
        /// Author of the lock, as text; empty if no author is named.
        public var author: String

        public init(token: String, productIdentifier: String, reason: String, author: String = "") {
            self.token = token
            self.productIdentifier = productIdentifier
            self.reason = reason
            self.author = author
        }
    }

    /// Units that a purchase adds to a wallet. A credit is recorded together with its purchase.
    public struct Credit: Sendable, Hashable {
        /// Identifier of the purchase that adds the units: its original transaction.
        public var purchaseID: String
        public var productIdentifier: String
        public var wallet: String
        /// Number of units that the purchase adds; above zero.
        public var amount: Int
        /// Policy that decides how many of the units are removed from the wallet if the store revokes the purchase.
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

    /// Units that are added to a wallet without a purchase: the initial units of every customer, a balance migrated
    /// from a legacy library, or a gift.
    public struct Deposit: Sendable, Hashable {
        /// Identifier of the deposit, chosen by the caller. A deposit with the same token is recorded only once.
        public var token: String
        public var wallet: String
        /// Number of units that are added; above zero.
        public var amount: Int
        /// Reason for the deposit, as text.
        public var reason: String

        public init(token: String, wallet: String, amount: Int, reason: String) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
            self.reason = reason
        }
    }

    /// Units that the app removes from a wallet.
    public struct Debit: Sendable, Hashable {
        /// Identifier of the debit, chosen by the caller. A debit with the same token is recorded only once.
        public var token: String
        public var wallet: String
        /// Number of units that are removed; above zero.
        public var amount: Int

        public init(token: String, wallet: String, amount: Int) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
        }
    }

    /// Installation of a product's content in the storage directory of this ledger.
    ///
    /// The fact makes no product owned and does not describe which content is installed now: removing content to free
    /// space, and downloading it again, are not recorded.
    public struct Content: Sendable, Hashable {
        public var productIdentifier: String
        /// Version of the package: its `ContentVersion`.
        public var version: String
        /// SHA-256 digest of the archive or the manifest that the content came from, in 64 lowercase hexadecimal
        /// digits; `nil` if it came from neither.
        public var digest: String?
        /// Location of the installed content: a path in the content directory.
        public var path: String

        public init(productIdentifier: String, version: String, digest: String? = nil, path: String) {
            self.productIdentifier = productIdentifier
            self.version = version
            self.digest = digest
            self.path = path
        }
    }

    /// Ledger loss: an earlier ledger could not be read anymore. Its facts that the store cannot provide again are
    /// missing from this ledger: finished consumables, debits, grants.
    public struct Loss: Sendable, Hashable {
        public var token: String
        /// Reason why the earlier ledger was lost, as text.
        public var reason: String

        public init(token: String, reason: String) {
            self.token = token
            self.reason = reason
        }
    }

    /// Settlement of a ledger loss: the declaration that the balances in this ledger are right again.
    public struct Settlement: Sendable, Hashable {
        public var token: String
        /// Reason for the settlement, as text.
        public var reason: String
        /// Author of the settlement, as text; empty if no author is named.
        public var author: String

        public init(token: String, reason: String, author: String = "") {
            self.token = token
            self.reason = reason
            self.author = author
        }
    }

    /// Note about an event that does not change ownership or balances, for example the migration of a legacy library's
    /// state.
    public struct Note: Sendable, Hashable {
        /// Identifier of the note, chosen by the caller. A note with the same token is recorded only once.
        public var token: String
        /// Description of the event, as text.
        public var reason: String

        public init(token: String, reason: String) {
            self.token = token
            self.reason = reason
        }

        /// Creates the note which states that a period of a subscription was recorded without its units, so that a later
        /// delivery does not finish it without them.
        package static func unitsLeft(_ purchaseID: String) -> Note {
            Note(
                token: "units left \(purchaseID)",
                reason: "the period \(purchaseID) was recorded without its units, because the store did not list its "
                    + "transaction as unfinished")
        }

        /// Creates the note which states that the store has sent the transaction of a consumable, or of a period of a
        /// subscription that may credit units, but the purchase was not delivered. If the store refunds the purchase and later reverses the refund, the units are credited at
        /// the reversal. Without the note, they would be treated as already credited.
        package static func undelivered(_ purchaseID: String) -> Note {
            Note(
                token: "undelivered \(purchaseID)",
                reason: "the store has sent the transaction \(purchaseID), and its purchase was not delivered")
        }

        /// Creates the note which states that the app's delivery handler is to deliver a purchase that is recorded together
        /// with the note. The delivery is due until the note ``delivered(_:)``.
        package static func deliveryDue(_ purchaseID: String) -> Note {
            Note(
                token: "delivery due \(purchaseID)",
                reason: "the purchase \(purchaseID) is recorded, and the app is to deliver it")
        }

        /// Creates the note which states that the app's delivery handler has delivered a purchase on this device.
        package static func delivered(_ purchaseID: String) -> Note {
            Note(token: "delivery of \(purchaseID)", reason: "the app has delivered the purchase \(purchaseID)")
        }

        /// Creates the note which states that the app's delivery handler is to deliver a purchase again, because the store
        /// has reversed its refund. The delivery is due until the note ``deliveredAgain(_:)``. Of several reversed refunds
        /// of a purchase, only the first one has these notes.
        package static func deliveryDueAgain(_ purchaseID: String) -> Note {
            Note(
                token: "delivery due again \(purchaseID)",
                reason: "the refund of the purchase \(purchaseID) is reversed, and the app is to deliver it")
        }

        /// Creates the note which states that the app's delivery handler has delivered a purchase after a reversed refund.
        package static func deliveredAgain(_ purchaseID: String) -> Note {
            Note(
                token: "delivery again of \(purchaseID)",
                reason: "the app has delivered the purchase \(purchaseID) after its reversed refund")
        }
    }
}

extension CatalogProduct {
    /// `true` if some customers own the product because of the date or version of their first installation of the app.
    public var isGrandfathered: Bool { kind != .consumable && !grandfathered.isEmpty }

    /// Token of the grant that the product's grandfathering rules create.
    var grandfatheringToken: String { Fact.Grant.grandfatheringPrefix + identifier }

    /// Returns the grant for a customer who meets one of the product's grandfathering rules. A later catalog without
    /// the rule does not end a recorded grant.
    ///
    /// - Returns: `nil` if no grandfathering rule grants the product.
    public func grandfatheringGrant(for original: OriginalPurchase) -> Fact.Grant? {
        guard isGrandfathered, let rule = grandfathered.first(where: { $0.answer(for: original) == .yes }) else {
            return nil
        }
        return Fact.Grant(
            token: grandfatheringToken, productIdentifier: identifier,
            reason: "the app was first installed \(original.description), and the grandfathering rule requires "
                + rule.conditions)
    }
}

extension Fact.Grant {
    fileprivate static let grandfatheringPrefix = "grandfathered:"

    /// `true` if the grant was created by a grandfathering rule.
    var isGrandfathering: Bool { Self.isGrandfathering(token) }

    /// Returns `true` if a grant with a token was created by a grandfathering rule.
    package static func isGrandfathering(_ token: String) -> Bool { token.hasPrefix(grandfatheringPrefix) }
}
