public import Foundation

/// What another library has left behind on this device.
///
/// It is what that library believed, and no proof: none of it is signed.
public struct PredecessorState: Sendable, Hashable {
    /// A product that the other library holds for bought.
    public struct OwnedProduct: Sendable, Hashable {
        public var identifier: String
        /// When a subscription ends. `nil` for what does not end, and where the library had not learned when it does.
        public var expirationDate: Date?
        /// The store's number for the purchase, where the library kept it.
        public var transactionID: String?
        /// When it was bought, where the library kept that.
        public var purchaseDate: Date?
        /// Where it was found, in words.
        public var source: String

        public init(
            identifier: String, expirationDate: Date? = nil, transactionID: String? = nil, purchaseDate: Date? = nil,
            source: String
        ) {
            self.identifier = identifier
            self.expirationDate = expirationDate
            self.transactionID = transactionID
            self.purchaseDate = purchaseDate
            self.source = source
        }
    }

    /// What is left in a wallet.
    public struct Balance: Sendable, Hashable {
        /// The `storageKey` of the catalog.
        public var wallet: String
        /// Above zero.
        public var units: Int
        /// Where it was found, in words.
        public var source: String

        public init(wallet: String, units: Int, source: String) {
            self.wallet = wallet
            self.units = units
            self.source = source
        }
    }

    /// Content of an owned product, in the folder where the other library has installed it.
    public struct Content: Sendable, Hashable {
        public var productIdentifier: String
        /// A folder in Documents, reached through no link.
        public var folder: URL

        public init(productIdentifier: String, folder: URL) {
            self.productIdentifier = productIdentifier
            self.folder = folder
        }
    }

    /// Something that is there and could not be read, or does not say what it should.
    public struct Unreadable: Sendable, Hashable {
        /// Where it was found, in words.
        public var source: String
        /// What is wrong with it, as the rest of a sentence.
        public var reason: String
        /// Nothing is wrong with it, as far as is known: it could not be read just now.
        public var mayBeReadLater: Bool

        public init(source: String, reason: String, mayBeReadLater: Bool = false) {
            self.source = source
            self.reason = reason
            self.mayBeReadLater = mayBeReadLater
        }
    }

    /// Each non-consumable once, with its earliest purchase; of what is or may be a subscription, each transaction once.
    public var owned: [OwnedProduct]
    /// Each wallet once.
    public var balances: [Balance]
    public var content: [Content]
    /// What was left out of the rest.
    public var unreadable: [Unreadable]

    public init(
        owned: [OwnedProduct] = [], balances: [Balance] = [], content: [Content] = [], unreadable: [Unreadable] = []
    ) {
        self.owned = owned
        self.balances = balances
        self.content = content
        self.unreadable = unreadable
    }
}
