public import ProductCatalog

/// A store that sells products: the App Store, or one that stands in for it.
public protocol Store: Sendable {
    /// What the store says about products. Those that it does not know are missing from the answer.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked. An answer without products is no error.
    func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct]

    /// Asks the customer to pay.
    ///
    /// A product that the customer owns by a transaction of its own, or one with an unfinished transaction, is not
    /// charged again: the store answers with that transaction. One that was taken back is sold anew.
    ///
    /// - Throws: ``StoreError`` where there is no answer. Whether the customer was charged is then not known.
    func purchase(_ identifier: String, quantity: Int) async throws(StoreError) -> StorePurchaseAnswer

    /// The latest transaction of each thing that was bought and can be restored, and every one that was taken back.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    func restore() async throws(StoreError) -> [StoreTransaction]

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

    /// Transactions that come without a call: approved later, bought elsewhere, or taken back. The stream lasts until
    /// its reader is cancelled.
    func updates() -> AsyncStream<StoreTransaction>
}

/// A transaction as a store hands it over, before anybody has verified it.
public struct StoreTransaction: Sendable, Hashable {
    /// The identifier under which the store finishes it. A claim of the store, not a proof.
    public let id: String
    /// The signed transaction as a compact JWS.
    public let signedData: String

    public init(id: String, signedData: String) {
        self.id = id
        self.signedData = signedData
    }
}

/// What a store answers to a purchase.
public enum StorePurchaseAnswer: Sendable, Hashable {
    case purchased(StoreTransaction)
    /// Somebody has to approve first. If they do, the transaction comes as an update.
    case pending
    case cancelled
}

/// Why a store gave no answer.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The store cannot be reached, or failed.
        public static let unavailable = Code("unavailable")
        /// What the store keeps on this device cannot be read or written.
        public static let storage = Code("storage")
        /// The store does not sell the product.
        public static let productNotAvailable = Code("product-not-available")
        /// The quantity is not one that the store sells.
        public static let invalidQuantity = Code("invalid-quantity")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
