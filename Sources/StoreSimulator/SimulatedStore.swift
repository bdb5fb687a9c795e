internal import FileSystem
public import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts

/// Simulated store that sells the products of a `.storekit` file, stores its transactions in its own directory, and
/// signs them as the App Store does, under a root certificate that a verifier accepts only if it is configured with it.
///
/// A transaction is stored until it is finished, across restarts. A non-consumable that was bought before, or a
/// consumable with an unfinished transaction, is not charged again: the store answers with that transaction.
///
/// The device has no app receipt before a purchase on it or a refresh, as in Apple's sandbox. The receipt contains the
/// state of the store at that time, and does not change until the next purchase or refresh, or until a purchase is
/// revoked: later finishing, refund reversals and purchases on other devices are not in the receipt.
///
/// The behavior of the store (``setAsksToBuy(_:)``, ``setOffline(_:)``, ``setPaymentRestriction(_:)``,
/// ``fail(_:times:)``) persists across restarts too.
public final class SimulatedStore: Store {
    let configuration: StoreConfiguration
    let database: StoreDatabase
    let identity: SigningIdentity
    let now: @Sendable () -> Date
    let transactionUpdates = Broadcast<StoreTransaction>()
    let promotionSignals = Broadcast<Void>()
    let storefrontSignals = Broadcast<Void>()
    /// Storefront of the customer as long as this object exists; `nil` for the storefront in the store's settings.
    private let visitedStorefront: String?
    private let language: String?
    let seed: StoreSeed
    /// Key and certificates that sign receipts; `nil` until they are first requested.
    let receiptIdentity = Locked<ReceiptSigningIdentity?>(nil)
    /// Latest signing date that this process has given to any transaction, in milliseconds since 1970.
    let latestSignature = Locked<Int64>(0)

    /// Bundle identifier of the app that transactions are signed for.
    public let bundleIdentifier: String

    /// Opens the store in a directory that ``create(in:configuration:bundleIdentifier:now:seed:)`` has set up.
    ///
    /// - Parameters:
    ///   - folder: The store's directory.
    ///   - storefront: The customer's country as long as this store is open, as an ISO 3166-1 alpha-3 code; `nil` for
    ///     the storefront that the customer was last in.
    ///   - language: The customer's language as a BCP 47 tag; `nil` for that of the configuration.
    ///   - now: The clock of the store.
    /// - Throws: ``SimulatedStoreError`` if there is no store, or it cannot be read; `noSuchStorefront` for a code that
    ///   is not a country with a currency.
    public init(
        folder: URL, storefront: String? = nil, language: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(SimulatedStoreError) {
        if let storefront { try Self.check(storefront: storefront) }
        visitedStorefront = storefront
        self.language = language
        let layout = StoreFolder(url: folder)
        configuration = try layout.readConfiguration()
        database = try StoreDatabase(url: layout.database, mayCreate: false)
        let stored = try database.identity()
        do {
            identity = try SigningIdentity(pem: stored.pem)
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store's signing identity cannot be read: \(error)")
        }
        bundleIdentifier = stored.bundleIdentifier
        seed = stored.storeSeed
        self.now = now
    }

    /// Creates a store in a directory, or replaces the configuration of an existing store. Its transactions and its
    /// signing identity remain.
    ///
    /// - Parameters:
    ///   - folder: The store's directory; it is created if it does not exist.
    ///   - configuration: The bytes of a `.storekit` file, which are copied.
    ///   - bundleIdentifier: The bundle identifier of the app that transactions are signed for. An existing store keeps
    ///     its own.
    ///   - now: The time around which the store's certificates are valid.
    ///   - seed: The seed of transaction numbers and the device identifier. Stores with the same seed, clock and
    ///     customer give the same data, and sign it with keys of their own. Two stores must not give the same
    ///     transaction numbers to an app that keeps its ledger: a number that is already recorded is not recorded
    ///     again. With 0, transactions are numbered from 1.
    /// - Throws: ``SimulatedStoreError``: `invalidConfiguration` if the bytes are not a valid configuration; `storage`
    ///   if the directory cannot be written.
    public static func create(
        in folder: URL,
        configuration: Data,
        bundleIdentifier: String,
        now: @Sendable () -> Date = { Date() },
        seed: UInt64 = UInt64.random(in: .min ... .max)
    ) throws(SimulatedStoreError) {
        let layout = StoreFolder(url: folder)
        try layout.check(configuration)
        try layout.create()
        let database = try StoreDatabase(url: layout.database, mayCreate: true)
        try database.createIdentity(bundleIdentifier: bundleIdentifier, seed: StoreSeed(value: seed)) {
            try SigningIdentity(commonName: "Vitrine Simulated Store", around: now()).pem
        }
        try layout.writeConfiguration(configuration)
    }

    /// Root certificate that verifiers must trust, in PEM.
    ///
    /// - Throws: ``SimulatedStoreError`` if it cannot be encoded.
    public var rootCertificate: String {
        get throws(SimulatedStoreError) {
            do {
                return try identity.rootPEM
            } catch {
                throw SimulatedStoreError(code: .damaged, reason: "the root certificate cannot be encoded: \(error)")
            }
        }
    }

    /// Current storefront of the customer.
    var currentStorefront: String {
        get async throws(SimulatedStoreError) {
            if let visitedStorefront { return visitedStorefront }
            return try await database.settings().storefront ?? configuration.storefront
        }
    }

    /// Returns the texts and prices of products for a customer of a storefront.
    func texts(in storefront: String) -> StoreProductTexts {
        StoreProductTexts(storefront: storefront, locale: language ?? configuration.locale)
    }

    /// Returns every transaction, oldest first, without pending purchases.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await database.transactions()
    }

    /// Returns the purchases that wait for approval, oldest first.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func pendingPurchases() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await database.pendingPurchases()
    }
}
