public import Foundation
public import VitrineCatalog

/// Data that a legacy library has left on this device.
///
/// The data is the library's own record and not a proof: none of it is signed.
public struct LegacyState: Sendable, Hashable {
    /// Product that the legacy library records as purchased.
    public struct OwnedProduct: Sendable, Hashable {
        public var identifier: String
        /// Expiration date of a subscription; `nil` for a product that does not expire, or if the library did not know
        /// the date.
        public var expirationDate: Date?
        /// Identifier of the transaction, if the library stored it.
        public var transactionID: String?
        /// Date of the purchase, if the library stored it.
        public var purchaseDate: Date?
        /// Location of this purchase in the storage of the legacy library, such as a key in the preferences or a file
        /// in Documents.
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

    /// Remaining balance of a wallet.
    public struct Balance: Sendable, Hashable {
        /// Key of the wallet: the `storageKey` of the catalog.
        public var wallet: String
        /// Number of units, above zero.
        public var units: Int
        /// Location of these units in the storage of the legacy library, such as a key in the preferences or a file in
        /// Documents.
        public var source: String

        public init(wallet: String, units: Int, source: String) {
            self.wallet = wallet
            self.units = units
            self.source = source
        }
    }

    /// Content of an owned product, in the folder where the legacy library has installed it.
    public struct Content: Sendable, Hashable {
        public var productIdentifier: String
        /// Folder in the app's Documents folder, reached without following a link.
        public var folder: URL

        public init(productIdentifier: String, folder: URL) {
            self.productIdentifier = productIdentifier
            self.folder = folder
        }
    }

    /// Item of the legacy library that could not be read, or has an unexpected value.
    public struct Unreadable: Sendable, Hashable {
        /// Location of the item in the storage of the legacy library, such as a key in the preferences or a file in
        /// Documents.
        public var source: String
        /// Reason why the item cannot be used, in lower case and without a period.
        public var reason: String
        /// `true` if the item could not be read now, but may be intact.
        public var mayBeReadLater: Bool

        public init(source: String, reason: String, mayBeReadLater: Bool = false) {
            self.source = source
            self.reason = reason
            self.mayBeReadLater = mayBeReadLater
        }
    }

    /// Owned products: each non-consumable once, with its earliest purchase; for a product that is or may be a
    /// subscription, each transaction once.
    public var owned: [OwnedProduct]
    /// Balances, one for each wallet.
    public var balances: [Balance]
    /// Wallets that the library has left without units. They receive no starting balance, as those with a balance.
    public var emptyWallets: Set<String>
    public var content: [Content]
    /// Items that could not be read, and are therefore missing from the other properties.
    public var unreadable: [Unreadable]

    public init(
        owned: [OwnedProduct] = [], balances: [Balance] = [], emptyWallets: Set<String> = [], content: [Content] = [],
        unreadable: [Unreadable] = []
    ) {
        self.owned = owned
        self.balances = balances
        self.emptyWallets = emptyWallets
        self.content = content
        self.unreadable = unreadable
    }
}

/// Legacy library for in-app purchases whose records of purchases can be imported.
public enum LegacyLibrary: String, Sendable, Hashable, Codable, CaseIterable {
    /// [VTAInAppPurchases](https://github.com/SimonFairbairn/VTAInAppPurchases).
    case vtaInAppPurchases
    /// [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit) 6.
    case mkStoreKit
    /// [RMStore](https://github.com/robotmedia/RMStore), with either of the two persistors that come with it.
    case rmStore
    /// [StoreHelper](https://github.com/russell-archer/StoreHelper).
    case storeHelper
}

/// Legacy libraries that an app has used before, and the function that reads their data. `VitrineMigration` creates
/// such a source for the libraries that it knows.
///
/// The data is read once, when the first catalog without errors has been read, before preferences are written.
public struct LegacyDataSource: Sendable {
    let libraries: [LegacyLibrary]
    let read: @Sendable (LegacyLibrary, Catalog) -> LegacyState

    /// Creates a source of the data of legacy libraries.
    ///
    /// - Parameters:
    ///   - libraries: Legacy libraries, in the order in which they are read.
    ///   - read: Function that returns the data that a library has left on the device. The catalog lists which
    ///     products are consumables, and which wallets they are credited to.
    public init(
        _ libraries: [LegacyLibrary], read: @escaping @Sendable (LegacyLibrary, Catalog) -> LegacyState
    ) {
        self.libraries = libraries
        self.read = read
    }
}
