public import Foundation
public import OpenStoreKitShim
public import VitrineCatalog
public import VitrinePurchasing
internal import VitrineReceipts
public import VitrineSupport

/// The App Store, through StoreKit 2.
///
/// ```swift
/// let store = StoreKitStore()
/// let verifier = AppStoreVerifier(store: store, bundleIdentifier: "com.example.voyager")
/// let home = Home(url: await verifier.directory(in: folder))
/// let manager = try await CatalogManager(catalog: .file(plist), store: store, verifier: verifier, home: home)
/// ```
///
/// An app without its own function to ask the customer uses `CatalogManager(catalog:)`, which also observes the network
/// and the foreground.
///
/// StoreKit is called in tasks that are not cancelled with the caller's task, because in a cancelled task its listings
/// are empty, without an error. Data that StoreKit could not verify is passed on as rejected
/// (`StoreTransaction.rejection`), never as a purchase.
public final class StoreKitStore: Store {
    /// Function that asks the customer to pay, in a window of the app: `Product.purchase(options:)` of StoreKit, or one
    /// of its variants for a scene, a window or a view controller. In SwiftUI, it calls the `PurchaseAction` of the view.
    public typealias PurchaseCall =
        @MainActor @Sendable (_ product: Product, _ options: Set<Product.PurchaseOption>) async throws ->
        Product.PurchaseResult

    let call: PurchaseCall
    let receiptFile: URL?
    /// Function that returns after the maximum time that StoreKit may take for the status of a transaction's
    /// subscription. A purchase can continue without the status, because StoreKit also sends the status as an update.
    private let statusLimit: @Sendable () async -> Void
    /// Function that asks StoreKit for the renewal information of a transaction's subscription.
    private let renewalInfo: @Sendable (Transaction) async -> SignedRenewalInfo?
    /// Function that asks StoreKit whether the customer is eligible for the introductory offers of a subscription group.
    private let isEligible: @Sendable (_ group: String) async -> Bool
    private let products = Locked<[String: Product]>([:])
    /// Transactions that the app has received and has not finished, by their signed data.
    private let received = Locked<[String: Transaction]>([:])
    /// Products with a purchase of unknown outcome, until the App Store is queried about them again.
    private let unknownOutcomes = Locked<Set<String>>([])

    /// Creates the connection to the App Store.
    ///
    /// - Parameters:
    ///   - call: Function that asks the customer to pay. By default, the store asks in the app's foreground scene or
    ///     window.
    ///   - receiptFile: File of the app receipt; `nil` if the app has none.
    public init(
        asking call: @escaping PurchaseCall = StoreKitStore.askInForeground,
        receiptFile: URL? = StoreKitStore.mainReceiptFile
    ) {
        self.call = call
        self.receiptFile = receiptFile
        statusLimit = { try? await Task.sleep(for: .seconds(10)) }
        renewalInfo = Self.askForRenewalInfo
        isEligible = Self.askForEligibility
    }

    /// Creates a connection with another maximum waiting time for the status of a subscription, and other answers of
    /// StoreKit.
    package init(
        statusLimit: @escaping @Sendable () async -> Void,
        renewalInfo: @escaping @Sendable (Transaction) async -> SignedRenewalInfo? = StoreKitStore.askForRenewalInfo,
        isEligible: @escaping @Sendable (_ group: String) async -> Bool = StoreKitStore.askForEligibility
    ) {
        call = StoreKitStore.askInForeground
        receiptFile = nil
        self.statusLimit = statusLimit
        self.renewalInfo = renewalInfo
        self.isEligible = isEligible
    }

    package typealias SignedRenewalInfo = VerificationResult<Product.SubscriptionInfo.RenewalInfo>

    package static func askForRenewalInfo(of transaction: Transaction) async -> SignedRenewalInfo? {
        await transaction.subscriptionStatus?.renewalInfo(of: transaction)
    }

    package static func askForEligibility(inGroup group: String) async -> Bool {
        await Product.SubscriptionInfo.isEligibleForIntroOffer(for: group)
    }

    // MARK: Products

    public func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
        let loaded = try await load(identifiers)
        let eligibility = await OfferEligibility(of: loaded, isEligible)
        return loaded.map { StoreProduct($0, eligibility) }
    }

    private func load(_ identifiers: [String]) async throws(StoreError) -> [Product] {
        let loaded = try await uncancelled { try await Product.products(for: identifiers) }.getOrStoreError()
        products.withLock { products in
            for product in loaded { products[product.id] = product }
        }
        return loaded
    }

    /// Returns the product with an identifier, from the last answer of the store or from a new one.
    ///
    /// - Throws: `StoreError` if the store cannot be asked, or does not sell the product.
    func product(_ identifier: String) async throws(StoreError) -> Product {
        if let known = products.withLock({ $0[identifier] }) { return known }
        guard let loaded = try await load([identifier]).first(where: { $0.id == identifier }) else {
            throw StoreError(code: .productNotAvailable, reason: "the App Store does not sell \(identifier)")
        }
        return loaded
    }

    /// Subscription groups of the products that were loaded from the store.
    var loadedGroups: Set<String> {
        products.withLock { Set($0.values.compactMap { $0.subscription?.subscriptionGroupID }) }
    }

    func noteUnknownOutcome(of product: String) { unknownOutcomes.withLock { _ = $0.insert(product) } }

    /// Queries the App Store about the products whose purchase has an unknown outcome.
    ///
    /// - Throws: `StoreError` if the App Store does not answer.
    func checkUnknownOutcomes() async throws(StoreError) {
        let unknown = unknownOutcomes.withLock { $0 }
        guard !unknown.isEmpty else { return }
        _ = try await load(Array(unknown))
        unknownOutcomes.withLock { $0.subtract(unknown) }
    }

    // MARK: Storefront

    public func storefront() async throws(StoreError) -> String? {
        await uncancelled { await Storefront.current?.countryCode }
    }

    public func storefrontChanges() -> AsyncStream<Void> {
        AsyncStream(reading: { [self] yield in
            for await _ in Storefront.updates {
                // Prices and currencies are those of the country before.
                products.withLock { $0 = [:] }
                yield(())
            }
        })
    }

    public func paymentRestriction() async -> String? {
        AppStore.canMakePayments ? nil : "the settings of the device do not allow purchases"
    }

    // MARK: Transactions without a call

    public func updates() -> AsyncStream<StoreTransaction> {
        let transactions = AsyncStream(reading: { [self] yield in
            await withTaskGroup(of: Void.self) { group in
                // Waiting for the status of one subscription does not hold up other transactions, and the periods of a
                // subscription keep their order.
                var subscriptions: [UInt64: AsyncStream<VerificationResult<Transaction>>.Continuation] = [:]
                for await transaction in Transaction.updates {
                    let payload = transaction.unsafePayloadValue
                    guard payload.productType == .autoRenewable else {
                        yield(await receive(transaction))
                        continue
                    }
                    if subscriptions[payload.originalID] == nil {
                        let (periods, continuation) = AsyncStream<VerificationResult<Transaction>>.makeStream()
                        subscriptions[payload.originalID] = continuation
                        group.addTask { [self] in
                            for await period in periods { yield(await receive(period)) }
                        }
                    }
                    subscriptions[payload.originalID]?.yield(transaction)
                }
                for subscription in subscriptions.values { subscription.finish() }
            }
        })
        let statuses = AsyncStream(reading: { yield in
            for await status in Product.SubscriptionInfo.Status.updates {
                yield(StoreTransaction(status.transaction, renewal: status.renewalInfo, isStatusOnly: true))
            }
        })
        return AsyncStream { continuation in
            let forwarding = [transactions, statuses].map { stream in
                Task { for await transaction in stream { continuation.yield(transaction) } }
            }
            continuation.onTermination = { _ in for task in forwarding { task.cancel() } }
        }
    }

    public func promotedPurchases() -> AsyncStream<PromotedPurchase> {
        #if os(tvOS) || os(visionOS)
            // StoreKit has no purchases there that begin in the App Store.
            AsyncStream { $0.finish() }
        #else
            AsyncStream(reading: { [self] yield in
                guard #available(macOS 14.4, *) else { return }
                for await intent in PurchaseIntent.intents {
                    products.withLock { $0[intent.product.id] = intent.product }
                    yield(PromotedPurchase(intent))
                }
            })
        #endif
    }

    // MARK: Received transactions

    /// Stores a transaction that the app has to finish, and returns it with the renewal information of its
    /// subscription.
    ///
    /// - Parameter ordered: Product to which the customer has just ordered a change of plan; `nil` for no change.
    ///   Renewal information that does not name the product is from before the order.
    func receive(
        _ result: VerificationResult<Transaction>, renewingAs ordered: String? = nil
    ) async -> StoreTransaction {
        remember(result)
        let transaction = result.unsafePayloadValue
        guard transaction.productType == .autoRenewable else { return StoreTransaction(result, renewal: nil) }
        if let ordered {
            let named = await uncancelled(until: statusLimit) { [renewalInfo] in
                await Self.renewalInfo(of: transaction, renewingAs: ordered, renewalInfo)
            }
            if let named = named ?? nil { return StoreTransaction(result, renewal: named) }
        }
        let renewal = await uncancelled(until: statusLimit) { [renewalInfo] in await renewalInfo(transaction) }
        return StoreTransaction(result, renewal: renewal ?? nil)
    }

    /// Returns the renewal information of a transaction's subscription as soon as it names a product. Statuses may show
    /// a purchase only a second after its call has returned.
    private static func renewalInfo(
        of transaction: Transaction, renewingAs ordered: String,
        _ renewalInfo: (Transaction) async -> SignedRenewalInfo?
    ) async -> SignedRenewalInfo? {
        // Announcements are read from here on, because the status may change while it is requested.
        var announced = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        var latest = await renewalInfo(transaction)
        while latest?.unsafePayloadValue.autoRenewPreference != ordered {
            guard let status = await announced.next() else { return nil }
            latest = status.renewalInfo(of: transaction)
        }
        return latest
    }

    func remember(_ result: VerificationResult<Transaction>) {
        received.withLock { $0[result.jwsRepresentation] = result.unsafePayloadValue }
    }

    /// Returns the identifiers of the transactions of a product that the app has received and has not finished.
    func unfinishedTransactions(of product: String) -> Set<UInt64> {
        received.withLock { received in Set(received.values.lazy.filter { $0.productID == product }.map(\.id)) }
    }

    /// Finishes a transaction, unless its state has changed since the app received it.
    ///
    /// A transaction that the app received in an earlier launch is looked up first, because StoreKit can only finish
    /// its own value of a transaction. If the transaction was revoked or reinstated since then, it is not finished, so
    /// that StoreKit sends it in its new state.
    public func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        let known = received.withLock { received in
            // The identifier and the signed data must belong to the same transaction.
            received[transaction.signedData].map { String($0.id) } == transaction.id
                ? received.removeValue(forKey: transaction.signedData) : nil
        }
        await uncancelled {
            if let known { return await known.finish() }
            guard let claim = TransactionPayload(unverified: transaction.signedData) else { return }
            for await listed in Transaction.unfinished {
                let listed = listed.unsafePayloadValue
                if String(listed.id) == transaction.id,
                    listed.revocationDate?.milliseconds == claim.revocationDate?.milliseconds
                {
                    return await listed.finish()
                }
            }
        }
    }
}
