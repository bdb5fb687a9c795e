public import Foundation
public import ProductCatalog

/// A store that sells products: the App Store, or one that stands in for it.
public protocol Store: Sendable {
    /// What the store says about products. Those that it does not know are missing from the answer.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked. An answer without products is no error.
    func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct]

    /// The country of the storefront in which products are sold on this device, as ISO 3166-1 alpha-3 names it; `nil`
    /// where it is not known.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func storefront() async throws(StoreError) -> String?

    /// Comes whenever the customer has moved to another storefront while the app runs, as StoreKit's `Storefront.updates`
    /// does: what the store said before counts no more. The stream lasts until its reader is cancelled.
    func storefrontChanges() -> AsyncStream<Void>

    /// Why nothing can be bought on this device, as the rest of a sentence; `nil` where that is allowed.
    func paymentRestriction() async -> String?

    /// Asks the customer to pay.
    ///
    /// A product that the customer owns by a transaction of its own, or one with an unfinished transaction, is not
    /// charged again: the store answers with that transaction. One that was taken back is sold anew.
    ///
    /// - Throws: ``StoreError`` where nothing was bought for a reason that the store gives, or where there is no answer.
    ///   ``StoreError/isOutcomeKnown`` tells one from the other.
    func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchaseAnswer

    /// The latest transaction of each thing that was bought and can be restored, and every one that was taken back. The
    /// store may ask the customer for a password.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func restore() async throws(StoreError) -> [StoreTransaction]

    /// What the store knows on this device without asking the customer anything: what can be restored, what was taken
    /// back, and what is unfinished. Consumables that are finished are not among it.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func knownTransactions() async throws(StoreError) -> [StoreTransaction]

    /// The transactions that nobody has finished, oldest first. One that is taken back comes again, signed with its
    /// revocation date, until that is finished too.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction]

    /// Tells the store that a transaction has been delivered and need not be sent again. Doing it twice is harmless. One
    /// that was taken back since the app got it is sent again all the same.
    ///
    /// - Throws: ``StoreError`` where the store cannot be told; it will then send the transaction again.
    func finish(_ transaction: StoreTransaction) async throws(StoreError)

    /// What the store has signed about how the customer got the app, as a compact JWS; `nil` where it has nothing.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func appTransaction() async throws(StoreError) -> String?

    /// The app receipt that lies on this device, in PKCS#7 form; `nil` where none does. Nobody is asked for it.
    ///
    /// - Throws: ``StoreError`` where it cannot be read.
    func appReceipt() async throws(StoreError) -> Data?

    /// Gets a new app receipt, which then lies on this device. The store may ask the customer for a password.
    ///
    /// - Parameter request: What kind of receipt a store for tests is to issue.
    /// - Throws: ``StoreError`` where the store cannot be asked, or issues none.
    func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data

    /// Transactions that come without a call: approved later, bought elsewhere, renewed, or taken back. The stream
    /// lasts until its reader is cancelled.
    func updates() -> AsyncStream<StoreTransaction>

    /// The products that the customer has asked for in the store itself, outside the app, and that the app is to buy.
    /// The stream lasts until its reader is cancelled.
    func promotedPurchases() -> AsyncStream<String>

    /// What is asked for the content of products; `nil` where the store keeps none.
    var content: (any StoreContent)? { get }
}

/// A transaction as a store hands it over, before anybody has verified it.
public struct StoreTransaction: Sendable, Hashable {
    /// The identifier under which the store finishes it. A claim of the store, not a proof.
    public let id: String
    /// The signed transaction as a compact JWS.
    public let signedData: String
    /// What the store has signed about the renewal of a subscription, as a compact JWS; `nil` where it says nothing.
    public let signedRenewal: String?

    public init(id: String, signedData: String, signedRenewal: String? = nil) {
        self.id = id
        self.signedData = signedData
        self.signedRenewal = signedRenewal
    }
}

/// What a store answers to a purchase.
public enum StorePurchaseAnswer: Sendable, Hashable {
    case purchased(StoreTransaction)
    /// Somebody has to approve first. If they do, the transaction comes as an update.
    case pending
    case cancelled
}
