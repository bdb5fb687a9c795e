public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrinePurchasing
public import VitrineReceipts
public import VitrineSupport

/// Simulated store that sells the products of a `.storekit` file, stores its transactions in its own directory, and
/// signs them as the App Store does. A verifier accepts the signatures only if it is configured to trust the root
/// certificate of this store.
///
/// A transaction remains unfinished until the app finishes it, even across restarts. A non-consumable that was bought
/// before, or a consumable with an unfinished transaction, is not charged again: the store answers with that
/// transaction.
///
/// The device has no app receipt before a purchase on it or a refresh, as in Apple's sandbox. The receipt contains the
/// state of the store at that time. It changes only with the next purchase or refresh, or when a purchase is revoked:
/// later finishing, refund reversals and purchases on other devices are not in the receipt.
///
/// The behavior of the store (``setAsksToBuy(_:)``, ``setOffline(_:)``, ``setPaymentRestriction(_:)``,
/// ``fail(_:times:)``) persists across restarts too.
///
/// An object of this class is one device of one customer; ``device(_:of:)`` returns others. What a customer buys on one
/// device reaches their other devices as an update, except consumables, which reach only the device that buys.
///
/// Subscriptions renew and end by the store's clock: the machine's clock, or a virtual clock that
/// ``advance(to:deliveriesWithin:)`` moves. Each call first processes the renewals and other changes that are due.
public final class SimulatedStore: Store {
    let core: StoreCore
    let identity: DeviceIdentity
    /// Storefront of the customer while this object exists; `nil` for the storefront in the store's settings.
    private let visitedStorefront: String?
    let language: String?

    /// Opens the store in a directory that ``create(in:configuration:bundleIdentifier:now:seed:)`` has set up.
    ///
    /// - Parameters:
    ///   - folder: The store's directory.
    ///   - customer: Name of the customer; `nil` for the first customer, `default`.
    ///   - device: Name of the customer's device; `nil` for the device `default`.
    ///   - mayAdd: `true` to add a customer or device that does not exist.
    ///   - storefront: The customer's country while this object exists, as an ISO 3166-1 alpha-3 code; `nil` for the
    ///     storefront in the store's settings.
    ///   - language: The customer's language as a BCP 47 tag; `nil` for the language of the configuration.
    ///   - now: The clock of the machine.
    ///   - sleep: Function that waits for an interval of the machine's clock, in seconds.
    /// - Throws: ``SimulatedStoreError`` if there is no store, or it cannot be read; `noSuchStorefront` for a code that
    ///   is not a country with a currency; `noSuchCustomer` for an empty name, or one that does not exist and must not
    ///   be added.
    public convenience init(
        folder: URL, customer: String? = nil, device: String? = nil, mayAdd: Bool = true, storefront: String? = nil,
        language: String? = nil, now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) throws(SimulatedStoreError) {
        if let storefront { try Self.check(storefront: storefront) }
        let layout = StoreFolder(url: folder)
        let core = try StoreCore(
            database: try StoreDatabase(url: layout.database, mayCreate: false),
            configuration: try layout.readConfiguration(), layout: layout, machineNow: now, sleep: sleep)
        try self.init(
            core, customer: customer ?? DeviceIdentity.defaultName, device: device ?? DeviceIdentity.defaultName,
            mayAdd: mayAdd, storefront: storefront, language: language)
    }

    init(
        _ core: StoreCore, customer: String, device: String, mayAdd: Bool = true, storefront: String?,
        language: String?
    ) throws(SimulatedStoreError) {
        self.core = core
        visitedStorefront = storefront
        self.language = language
        identity = try core.database.identity(
            of: device, of: customer, mayAdd: mayAdd, machineNow: core.machineNow)
    }

    /// Creates a store in a directory, or replaces the configuration of an existing store, whose transactions and
    /// signing keys are preserved.
    ///
    /// - Parameters:
    ///   - folder: The store's directory; it is created if it does not exist.
    ///   - configuration: The bytes of a `.storekit` file, which are copied.
    ///   - bundleIdentifier: The bundle identifier of the app in signed transactions. It is ignored for an existing
    ///     store.
    ///   - now: The clock of the machine. The store's certificates are valid for thirty years from its current date.
    ///   - seed: The seed of transaction numbers and of the device identifier. Stores with the same seed, clock and
    ///     customer produce the same data, but sign it with different keys. If one ledger records the transactions of
    ///     two stores, their seeds must differ, because a transaction number that is already recorded is not recorded
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
        try create(
            in: folder, configuration: configuration, bundleIdentifier: bundleIdentifier, receiptIdentity: nil,
            now: now, seed: seed)
    }

    /// Creates a store in a directory whose app receipts are signed by a given identity. Generating one takes longer
    /// than most tests: it has three RSA keys.
    package static func create(
        in folder: URL, configuration: Data, bundleIdentifier: String, receiptIdentity: ReceiptSigningIdentity?,
        now: @Sendable () -> Date, seed: UInt64
    ) throws(SimulatedStoreError) {
        let layout = StoreFolder(url: folder)
        let parsed = try layout.check(configuration)
        try layout.create()
        let database = try StoreDatabase(url: layout.database, mayCreate: true)
        try database.createIdentity(
            bundleIdentifier: bundleIdentifier, seed: StoreSeed(value: seed), configuration: parsed,
            receiptIdentity: receiptIdentity, at: now())
        try layout.writeConfiguration(configuration)
    }

    /// Creates a store in memory, which exists as long as a `SimulatedStore` object refers to it.
    ///
    /// - Parameters:
    ///   - configuration: The bytes of a `.storekit` file.
    ///   - bundleIdentifier: The bundle identifier of the app in signed transactions.
    ///   - environment: The environment in the data that the store signs.
    ///   - appIdentifier: The number of the app in the App Store, which signed data contains in production.
    ///   - now: The clock of the machine.
    ///   - seed: The seed of transaction numbers and the device identifier.
    /// - Throws: ``SimulatedStoreError``: `invalidConfiguration` if the bytes are not a valid configuration.
    public static func inMemory(
        configuration: Data, bundleIdentifier: String, environment: StoreEnvironment = .sandbox,
        appIdentifier: Int64? = nil, now: @escaping @Sendable () -> Date = { Date() },
        seed: UInt64 = UInt64.random(in: .min ... .max)
    ) throws(SimulatedStoreError) -> SimulatedStore {
        let parsed: StoreConfiguration
        do {
            parsed = try StoreConfiguration(data: configuration)
        } catch {
            throw SimulatedStoreError(code: .invalidConfiguration, reason: error.description)
        }
        let database = try StoreDatabase()
        try database.createIdentity(
            bundleIdentifier: bundleIdentifier, seed: StoreSeed(value: seed), configuration: parsed, at: now())
        let core = try StoreCore(
            database: database, configuration: parsed, environment: environment, appIdentifier: appIdentifier,
            machineNow: now,
            sleep: { try await Task.sleep(for: .seconds($0)) })
        return try SimulatedStore(
            core, customer: DeviceIdentity.defaultName, device: DeviceIdentity.defaultName, storefront: nil,
            language: nil)
    }

    /// Returns another device of the same store, which is added if it does not exist.
    ///
    /// - Parameters:
    ///   - device: Name of the device.
    ///   - customer: Name of its customer, who is added if necessary; `nil` for the customer of this device.
    /// - Throws: ``SimulatedStoreError``: `noSuchCustomer` for an empty name.
    public func device(_ device: String, of customer: String? = nil) throws(SimulatedStoreError) -> SimulatedStore {
        try SimulatedStore(
            core, customer: customer ?? identity.customerName, device: device, storefront: visitedStorefront,
            language: language)
    }

    /// Returns this device with another language of its customer.
    ///
    /// - Parameter language: A BCP 47 tag; `nil` for the language of the configuration.
    package func speaking(_ language: String?) throws(SimulatedStoreError) -> SimulatedStore {
        try SimulatedStore(
            core, customer: identity.customerName, device: identity.deviceName, storefront: visitedStorefront,
            language: language)
    }

    /// Name of the customer of this device.
    public var customer: String { identity.customerName }

    /// Name of this device.
    public var deviceName: String { identity.deviceName }

    /// Bundle identifier of the app in signed transactions.
    public var bundleIdentifier: String { core.bundleIdentifier }

    /// Clock of the store. An app that is tested with the store uses it as its own clock.
    public var clock: StoreClock { StoreClock(core) }

    /// Root certificate that a verifier must trust to accept the signatures of this store, in PEM.
    ///
    /// - Throws: ``SimulatedStoreError`` if the certificate cannot be encoded.
    public var rootCertificate: String {
        get throws(SimulatedStoreError) {
            let reason = "the root certificate of the simulated store cannot be encoded"
            return try SimulatedStoreError.mapping(damaged: reason) { try core.signingIdentity.rootPEM }
        }
    }

    /// Current storefront of the customer.
    var currentStorefront: String {
        get async throws(SimulatedStoreError) {
            if let visitedStorefront { return visitedStorefront }
            return try await core.database.settings().storefront ?? core.configuration.storefront
        }
    }

    /// Returns the texts and prices of products for a customer of a storefront.
    func texts(in storefront: String) -> StoreProductTexts {
        StoreProductTexts(storefront: storefront, locale: language ?? core.configuration.locale)
    }

    /// Returns every transaction of the customer, oldest first, without pending purchases.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await purchases(arePending: false)
    }

    /// Returns the customer's purchases that wait for approval or for an issue to be resolved, oldest first.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func pendingPurchases() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await purchases(arePending: true)
    }

    /// Returns `true` if this device has ordered a transaction, so that the store has answered it here. Another device of
    /// the customer, or the store itself, may have ordered it instead.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    package func hasOrdered(_ transaction: String) async throws(SimulatedStoreError) -> Bool {
        try await core.read { [identity] scope in
            guard let number = Int64(transaction) else { return false }
            return try PurchaseRecord.fetchOne(scope.database, key: number)?.device == identity.device
        }
    }

    private func purchases(arePending: Bool) async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await core.read { [identity] scope in
            let unfinished = try UnfinishedRecord.purchases(of: identity.device, in: scope.database)
            return try PurchaseRecord.filter { $0.customer == identity.customer }.filter { $0.isPending == arePending }
                .order { $0.id }.fetchAll(scope.database)
                .map { $0.transaction(isFinished: !unfinished.contains($0.number)) }
        }
    }
}
