public import Foundation
internal import GRDB
public import ProductCatalog
public import Purchasing
internal import Receipts
internal import Synchronization

/// A store that sells what a `.storekit` file says, keeps its transactions in a folder of its own, and signs them as
/// the App Store does, under a root certificate that nobody trusts unless they are given it.
///
/// A transaction is kept until it is finished, over restarts. A non-consumable that was bought before, or a consumable
/// whose last transaction nobody has finished, is not charged again: the store answers with that transaction.
public final class SimulatedStore: Store {
    private let configuration: StoreConfiguration
    private let database: StoreDatabase
    private let identity: SigningIdentity
    private let now: @Sendable () -> Date
    private let listeners = Mutex<[UUID: AsyncStream<StoreTransaction>.Continuation]>([:])

    /// The app that transactions are signed for.
    public let bundleIdentifier: String

    /// Opens the store in a folder that ``create(in:configuration:bundleIdentifier:now:)`` has set up.
    ///
    /// - Parameter now: The clock of the store.
    /// - Throws: ``SimulatedStoreError`` where there is none, or it cannot be read.
    public init(folder: URL, now: @escaping @Sendable () -> Date = { Date() }) throws(SimulatedStoreError) {
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
        self.now = now
    }

    /// Sets up a store in a folder, or gives the one that is there another configuration. Its transactions and its
    /// signing identity stay.
    ///
    /// - Parameters:
    ///   - configuration: The bytes of a `.storekit` file. They are copied.
    ///   - bundleIdentifier: The app that transactions are signed for. A store that exists keeps its own.
    ///   - now: The time around which the store's certificates are valid.
    ///   - firstTransactionID: The number of the first transaction. Two stores must not give the same numbers to an
    ///     app that keeps its ledger: what is recorded under a number is not recorded again.
    /// - Throws: ``SimulatedStoreError``: `invalidConfiguration` where the bytes are no configuration; `storage` where
    ///   the folder cannot be written.
    public static func create(
        in folder: URL,
        configuration: Data,
        bundleIdentifier: String,
        now: @Sendable () -> Date = { Date() },
        firstTransactionID: Int64 = Int64.random(in: 1...999_999) * 1_000_000 + 1
    ) throws(SimulatedStoreError) {
        let layout = StoreFolder(url: folder)
        try layout.check(configuration)
        try layout.create()
        let database = try StoreDatabase(url: layout.database, mayCreate: true)
        try database.createIdentity(bundleIdentifier: bundleIdentifier, firstTransactionID: firstTransactionID) {
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

    /// Every transaction, oldest first.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be read.
    public func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await database.transactions()
    }

    /// Buys something as on another device of the customer's: the transaction comes as an update.
    ///
    /// - Throws: ``StoreError``, as `purchase` does.
    public func purchaseElsewhere(_ identifier: String, quantity: Int = 1) async throws(StoreError) {
        guard case .purchased(let transaction) = try await purchase(identifier, quantity: quantity) else { return }
        sendUpdate(transaction)
    }

    /// Gives the customer the money back. The transaction comes as an update with its revocation date, and stays
    /// unfinished until the app has finished it again. One that was refunded before is sent again as it is.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction`, or where the store's state cannot be used.
    @discardableResult
    public func refund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        guard let transaction = try await database.refund(id, at: now()) else {
            throw SimulatedStoreError(code: .noSuchTransaction, reason: "the store has no transaction \(id)")
        }
        sendUpdate(try sign(transaction))
        return transaction
    }

    /// How the customer first got the app, which the store signs from now on.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func setOriginalPurchase(_ purchase: OriginalPurchase) async throws(SimulatedStoreError) {
        try await database.setAppPurchase(purchase)
    }

    private func sendUpdate(_ transaction: StoreTransaction) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.yield(transaction) }
    }
}

// MARK: - Store

extension SimulatedStore {
    public func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
        let wanted = Set(identifiers)
        return configuration.items.filter { wanted.contains($0.identifier) }.compactMap { item in
            item.storeProduct(storefront: configuration.storefront, locale: configuration.locale)
        }
    }

    public func purchase(_ identifier: String, quantity: Int) async throws(StoreError) -> StorePurchaseAnswer {
        guard let item = configuration.items.first(where: { $0.identifier == identifier }),
            let product = item.storeProduct(storefront: configuration.storefront, locale: configuration.locale)
        else {
            throw StoreError(code: .productNotAvailable, reason: "the store does not sell \(identifier)")
        }
        guard (1...(item.kind == .consumable ? 10 : 1)).contains(quantity) else {
            throw StoreError(
                code: .invalidQuantity, reason: "the store does not sell \(quantity) of \(identifier) at once")
        }
        let order = SimulatedTransaction(
            productIdentifier: identifier,
            kind: item.kind,
            quantity: quantity,
            purchaseDate: now(),
            price: NSDecimalNumber(decimal: product.price * 1_000).intValue,
            currency: product.currencyCode,
            storefront: configuration.storefront
        )
        do {
            return .purchased(try sign(await database.purchase(order)))
        } catch {
            throw StoreError(error)
        }
    }

    public func restore() async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { $0.kind != .consumable || $0.revocationDate != nil }
    }

    public func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { !$0.isFinished }
    }

    public func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        do {
            try await database.finish(transaction.id, revocationDate: Self.revocationDate(in: transaction))
        } catch {
            throw StoreError(error)
        }
    }

    public func appTransaction() async throws(StoreError) -> String? {
        do throws(SimulatedStoreError) {
            guard let original = try await database.appPurchase() else { return nil }
            let payload = AppTransactionPayload(
                bundleIdentifier: bundleIdentifier,
                applicationVersion: original.version,
                originalApplicationVersion: original.version,
                originalPurchaseDate: original.date,
                originalPlatform: original.platform?.rawValue,
                environment: .sandbox,
                signedDate: now()
            )
            return try sign(payload)
        } catch {
            throw StoreError(error)
        }
    }

    public func updates() -> AsyncStream<StoreTransaction> {
        let key = UUID()
        let (stream, continuation) = AsyncStream<StoreTransaction>.makeStream()
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.removeValue(forKey: key) }
        }
        listeners.withLock { $0[key] = continuation }
        return stream
    }

    private func signedTransactions(
        where isWanted: (SimulatedTransaction) -> Bool
    ) async throws(StoreError) -> [StoreTransaction] {
        do throws(SimulatedStoreError) {
            var signed: [StoreTransaction] = []
            for transaction in try await database.transactions() where isWanted(transaction) {
                signed.append(try sign(transaction))
            }
            return signed
        } catch {
            throw StoreError(error)
        }
    }

    private func sign(_ transaction: SimulatedTransaction) throws(SimulatedStoreError) -> StoreTransaction {
        let payload = TransactionPayload(
            transactionID: transaction.id,
            originalTransactionID: transaction.id,
            bundleIdentifier: bundleIdentifier,
            productIdentifier: transaction.productIdentifier,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.purchaseDate,
            quantity: transaction.quantity,
            type: transaction.kind.signedType,
            environment: .sandbox,
            signedDate: now(),
            storefront: transaction.storefront,
            price: transaction.price,
            currency: transaction.currency,
            revocationDate: transaction.revocationDate
        )
        return StoreTransaction(id: transaction.id, signedData: try sign(payload))
    }

    private func sign(_ payload: some Encodable) throws(SimulatedStoreError) -> String {
        do {
            return try identity.sign(payload)
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store cannot sign: \(error)")
        }
    }

    /// What a transaction that the app has says about its revocation, in milliseconds since 1970. An app that finishes
    /// what it got before a refund has not heard of the refund.
    private static func revocationDate(in transaction: StoreTransaction) -> Int64? {
        TransactionPayload(unverified: transaction.signedData)?.revocationDate?.milliseconds
    }
}

extension StoreError {
    /// What an app is told of a failure of the store's state.
    package init(_ error: SimulatedStoreError) {
        self.init(code: error.code == .storage ? .storage : .unavailable, reason: error.reason)
    }
}

extension ProductKind {
    fileprivate var signedType: ProductType {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewingSubscription: .nonRenewingSubscription
        case .autoRenewableSubscription: .autoRenewableSubscription
        case .unknown: ProductType(rawValue: "Unknown")
        }
    }
}
