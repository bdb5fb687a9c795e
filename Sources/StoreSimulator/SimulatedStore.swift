internal import FileSystem
public import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts

/// A store that sells what a `.storekit` file says, keeps its transactions in a folder of its own, and signs them as
/// the App Store does, under a root certificate that nobody trusts unless they are given it.
///
/// A transaction is kept until it is finished, over restarts. A non-consumable that was bought before, or a consumable
/// with a transaction that nobody has finished, is not charged again: the store answers with that transaction.
///
/// No app receipt lies on the device before a purchase there or a refresh, as in Apple's sandbox. It has what the store knew
/// then, and stays as it is until the next purchase or refresh, or until something is taken back: what is finished, given
/// back or bought elsewhere meanwhile is not in it.
///
/// How it behaves (``setAsksToBuy(_:)``, ``setOffline(_:)``, ``setPaymentRestriction(_:)``, ``fail(_:times:)``) lasts
/// over restarts too.
public final class SimulatedStore: Store {
    let configuration: StoreConfiguration
    let database: StoreDatabase
    let identity: SigningIdentity
    let now: @Sendable () -> Date
    let transactionUpdates = Broadcast<StoreTransaction>()
    let promotionSignals = Broadcast<Void>()
    let storefrontSignals = Broadcast<Void>()
    /// Where the customer is, whatever the settings say; `nil` where they count.
    private let visitedStorefront: String?
    private let language: String?
    let seed: StoreSeed
    /// What signs receipts, once it was asked for.
    let receiptIdentity = Locked<ReceiptSigningIdentity?>(nil)
    /// The latest date that a transaction was signed with here, in milliseconds since 1970.
    let latestSignature = Locked<Int64>(0)

    /// The app that transactions are signed for.
    public let bundleIdentifier: String

    /// Opens the store in a folder that ``create(in:configuration:bundleIdentifier:now:seed:)`` has set
    /// up.
    ///
    /// - Parameters:
    ///   - folder: The store's.
    ///   - storefront: Where the customer is as long as this store is open, as ISO 3166-1 alpha-3 names the country; `nil` for
    ///     where they were last.
    ///   - language: The customer's language as a BCP 47 tag; `nil` for that of the configuration.
    ///   - now: The clock of the store.
    /// - Throws: ``SimulatedStoreError`` where there is none, or it cannot be read; `noSuchStorefront` for what is no country
    ///   with a currency.
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

    /// Sets up a store in a folder, or gives the one that is there another configuration. Its transactions and its
    /// signing identity stay.
    ///
    /// - Parameters:
    ///   - folder: The store's; it is made unless it is there.
    ///   - configuration: The bytes of a `.storekit` file. They are copied.
    ///   - bundleIdentifier: The app that transactions are signed for. A store that exists keeps its own.
    ///   - now: The time around which the store's certificates are valid.
    ///   - seed: What transaction numbers and the device follow from. Stores with the same seed, clock and customer say
    ///     the same, and sign it with keys of their own. Two stores must not give the same numbers to an app that keeps
    ///     its ledger: what is recorded under a number is not recorded again. With 0, transactions are numbered from 1.
    /// - Throws: ``SimulatedStoreError``: `invalidConfiguration` where the bytes are no configuration; `storage` where
    ///   the folder cannot be written.
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

    /// The certificate that verifiers have to be given, in PEM.
    ///
    /// - Throws: ``SimulatedStoreError`` where it cannot be encoded.
    public var rootCertificate: String {
        get throws(SimulatedStoreError) {
            do {
                return try identity.rootPEM
            } catch {
                throw SimulatedStoreError(code: .damaged, reason: "the root certificate cannot be encoded: \(error)")
            }
        }
    }

    /// The storefront that the customer is in now.
    var currentStorefront: String {
        get async throws(SimulatedStoreError) {
            if let visitedStorefront { return visitedStorefront }
            return try await database.settings().storefront ?? configuration.storefront
        }
    }

    /// Writes products as the customer sees them in a storefront.
    func texts(in storefront: String) -> StoreProductTexts {
        StoreProductTexts(storefront: storefront, locale: language ?? configuration.locale)
    }

    /// Every transaction, oldest first. What is pending is not among them.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be read.
    public func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await database.transactions()
    }

    /// What was asked for and somebody has to approve, oldest first.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be read.
    public func pendingPurchases() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await database.pendingPurchases()
    }
}
