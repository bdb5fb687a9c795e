public import Entitlements
internal import EntitlementsSQLite
public import Foundation
public import HostedContent
public import ProductCatalog
public import Purchasing
public import Receipts

/// Sells the products of a catalog.
///
/// ```swift
/// let manager = try await CatalogManager(
///     catalog: .file(plist), store: store, verifier: verifier, home: Home(url: folder))
/// await manager.loadProducts()
/// let answer = await manager.purchase("com.example.voyager.guide.lisbon")
/// ```
///
/// What is owned is known as soon as a manager is made. From then on it delivers every transaction of the store,
/// whether or not anybody has loaded products or is waiting for an answer. Status, listing and ownership can be read
/// at any time, from anywhere, without waiting.
public actor CatalogManager {
    private let source: CatalogSource
    private let store: any Store
    private let ledger: any Ledger
    private let queue: PurchaseQueue
    private let grandfathering: Grandfathering
    nonisolated let content: OwnedContent
    private let now: @Sendable () -> Date
    private nonisolated let state: ManagerState
    private var loading: Task<LoadingStatus, Never>?

    /// Opens the ledger, reads what is owned, and begins to deliver the store's transactions.
    ///
    /// - Parameters:
    ///   - catalog: Where the catalog comes from. It is read by ``loadProducts()``.
    ///   - store: The store that sells.
    ///   - verifier: What decides whether a transaction can be trusted.
    ///   - home: The app's folder. It is made unless it is there.
    ///   - content: Where the packages of hosted content come from; `nil` for an app that has none.
    ///   - ledger: Where facts are kept; by default the home's SQLite ledger.
    ///   - languages: The customer's languages as BCP 47 tags, the best first.
    ///   - now: The time at which facts are recorded.
    /// - Throws: ``LedgerError`` where the home or the ledger cannot be used.
    public init(
        catalog source: CatalogSource,
        store: any Store,
        verifier: any TransactionVerifier,
        home: Home,
        content packages: PackageFolder? = nil,
        ledger: (any Ledger)? = nil,
        languages: [String] = Locale.preferredLanguages,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(LedgerError) {
        do {
            try home.create()
        } catch {
            throw LedgerError(code: .unavailable, reason: "the home cannot be made: \(BoundedFile.reason(for: error))")
        }
        let ledger = if let ledger { ledger } else { try SQLiteLedger(url: home.ledger) as any Ledger }
        let state = try await ManagerState(ledger: ledger, languages: languages)
        self.source = source
        self.store = store
        self.ledger = ledger
        self.state = state
        self.now = now
        content = OwnedContent(
            directory: ContentDirectory(url: home.hostedContent), packages: packages, state: state)
        grandfathering = Grandfathering(store: store, verifier: verifier, ledger: ledger, state: state, now: now)
        queue = PurchaseQueue(
            store: store, ledger: ledger, verifier: verifier, content: content,
            catalog: { state.snapshot.catalog }, now: now,
            announce: { await state.announce($0) }
        )
        await queue.observe()
    }

    // MARK: What is known

    /// How far loading has come.
    public nonisolated var status: LoadingStatus { state.snapshot.status }

    /// Every product of the catalog in its order, offered or not.
    public nonisolated var listing: [ProductListing] { state.snapshot.listing }

    /// The products that can be bought now.
    public nonisolated var products: [ProductListing] { listing.filter(\.isOffered) }

    /// The identifiers of the catalog that the store did not know when it was asked last.
    public nonisolated var invalidIdentifiers: [String] { state.snapshot.invalidIdentifiers }

    /// The catalog that was read last.
    public nonisolated var catalog: Catalog? { state.snapshot.catalog }

    /// Whether a product is owned, and why.
    public nonisolated func ownership(of identifier: String) -> Ownership {
        state.snapshot.entitlements.ownership(of: identifier)
    }

    /// The identifiers of all owned products: those of the catalog in its order, then others that the ledger has.
    public nonisolated var ownedProducts: [String] { state.snapshot.entitlements.owned }

    /// Why it cannot be told whether some products are owned; `nil` where it can be told of all.
    public nonisolated var ownershipUnknownReason: Ownership.UnknownReason? {
        state.snapshot.entitlements.unknownReason
    }

    /// The units in a wallet; 0 in one that nothing was ever credited to.
    public nonisolated func walletBalance(for key: String) -> Int { walletBalances[key, default: 0] }

    /// The balance of each wallet that was ever changed.
    public nonisolated var walletBalances: [String: Int] { state.snapshot.entitlements.balances }

    /// The version of the app that the customer got first, as the store has signed it: its build number, but on macOS
    /// its version number. `nil` while it is not known.
    public nonisolated var originalPurchasedVersion: String? { originalPurchase?.version }

    /// How the customer first got the app, as the store has signed it; `nil` while it is not known.
    public nonisolated var originalPurchase: OriginalPurchase? { state.snapshot.entitlements.appPurchase?.original }

    /// The purchases of a product that the store has taken back, the latest first.
    public nonisolated func revocations(of identifier: String) -> [Fact.Revocation] {
        state.snapshot.entitlements.revocations(of: identifier)
    }

    /// What happens from now on. Each call gives a stream of its own; one that is not read loses its oldest events
    /// after ten thousand.
    public nonisolated func events() -> AsyncStream<CatalogEvent> { state.events.stream() }

    // MARK: Loading

    /// Reads the catalog, delivers what had to wait for it, finds out what is owned because of how the customer first
    /// got the app, and asks the store about the products.
    ///
    /// Whatever fails, what was known before stays. A call while one is under way waits for that one.
    ///
    /// - Returns: The status that it came to.
    @discardableResult
    public func loadProducts() async -> LoadingStatus {
        if let loading { return await loading.value }
        let task = Task {
            let status = await load()
            loading = nil
            return status
        }
        loading = task
        return await task.value
    }

    private func load() async -> LoadingStatus {
        state.set(.productsLoading)
        let isContentUsable = prepareContentDirectory()
        let catalog: Catalog
        do {
            catalog = try source.load()
        } catch {
            state.events.send(.listFailed(error))
            // Refunds, and consumables that are in the ledger already, can be finished without a catalog.
            await deliverUnfinished()
            return finishLoading(.listLoadFailed)
        }
        state.set(catalog, availableContent: isContentUsable ? availableContent() : [])
        state.set(.listLoaded)
        await deliverUnfinished()
        await grandfathering.decide()
        do {
            let asked = catalog.products.map(\.identifier)
            state.set(StoreAnswer(asked: asked, products: try await store.products(for: asked)))
        } catch {
            state.events.send(.productsFailed(error))
            return finishLoading(.productsLoadFailed)
        }
        return finishLoading(.productsLoaded)
    }

    /// - Returns: Whether content can be installed there.
    private func prepareContentDirectory() -> Bool {
        do {
            try content.directory.prepareIfPresent()
            return true
        } catch {
            state.events.send(.contentFailed(error))
            return false
        }
    }

    private func availableContent() -> Set<String> {
        do {
            return try content.availableProducts()
        } catch {
            state.events.send(.contentFailed(error))
            return []
        }
    }

    private func finishLoading(_ status: LoadingStatus) -> LoadingStatus {
        state.set(status)
        return status
    }

    /// Takes in what other processes have recorded, and delivers each transaction that the store still holds: for the
    /// app's return to the foreground. What goes wrong is told by events, and tried again the next time.
    public func deliverUnfinished() async {
        await state.refreshOrReport()
        do {
            try await queue.drain()
        } catch {
            state.events.send(.backlogFailed(error))
        }
    }

    // MARK: Buying

    /// Buys a product, and answers once its transaction has gone all the way or cannot go further now.
    ///
    /// A product that is not on offer, or owned otherwise than by its own transaction, is refused before the store is
    /// asked. One that is owned by its own transaction goes to the store, which charges nothing for it.
    public func purchase(_ identifier: String, quantity: Int = 1) async -> PurchaseAnswer {
        let answer: PurchaseAnswer
        if let refusal = await refusal(of: identifier, quantity: quantity) {
            answer = .failed(refusal)
        } else {
            answer = await queue.purchase(identifier, quantity: quantity)
        }
        state.events.send(.purchaseAnswered(identifier, answer))
        return answer
    }

    private func refusal(of identifier: String, quantity: Int) async -> PurchaseFailure? {
        do {
            try await state.refresh()
        } catch {
            return PurchaseFailure(code: .ledger, reason: error.reason)
        }
        let snapshot = state.snapshot
        guard snapshot.catalog != nil else {
            return PurchaseFailure(code: .notOffered, reason: "no catalog is loaded")
        }
        guard let listing = snapshot.listing.first(where: { $0.id == identifier }) else {
            return PurchaseFailure(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        let most = listing.kind == .consumable ? 10 : 1
        guard (1...most).contains(quantity) else {
            return PurchaseFailure(
                code: .invalidQuantity,
                reason: "\(quantity) of \(identifier) cannot be bought at once, but \(most == 1 ? "1" : "1 to \(most)")"
            )
        }
        switch listing.offer {
        case .offered: return nil
        case .notOffered(.alreadyOwned) where listing.ownership.includesOwnTransaction: return nil
        case .notOffered(.alreadyOwned):
            return PurchaseFailure(code: .alreadyOwned, reason: "\(identifier) is owned already")
        case .notOffered(let reason):
            return PurchaseFailure(
                code: .notOffered, reason: "\(identifier) is not offered: \(reason)")
        }
    }

    /// Records again what the store says was bought. Nothing is taken away, and nothing is asked for at launch: only
    /// this call restores.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    public func restore() async throws(StoreError) -> RestoreResult {
        let result = try await queue.restore()
        state.events.send(.restoreAnswered(result))
        return result
    }

    // MARK: Giving and spending

    /// Gives the customer a product outside the store. Doing it again changes nothing.
    ///
    /// - Parameter reason: Why, in words, for whoever asks later.
    /// - Throws: ``UnlockError``.
    public func unlock(_ identifier: String, because reason: String = "unlocked by the app") async throws(UnlockError) {
        let snapshot = state.snapshot
        guard snapshot.catalog != nil else {
            throw UnlockError(code: .notInCatalog, reason: "no catalog is loaded")
        }
        guard let product = snapshot.listing.first(where: { $0.id == identifier }) else {
            throw UnlockError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        guard product.kind != .consumable else {
            throw UnlockError(code: .consumable, reason: "\(identifier) is a consumable, which cannot be owned")
        }
        let grant = Fact.Grant(token: "unlock:\(identifier)", productIdentifier: identifier, reason: reason)
        do {
            _ = try await ledger.append([.grant(grant)], at: now())
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
        await state.refreshOrReport()
    }

    /// Takes units from a wallet.
    ///
    /// - Parameters:
    ///   - amount: Above zero.
    ///   - token: The app's own name for this spending. The same token takes once, however often it is used.
    /// - Returns: The balance afterwards. Should the ledger have recorded the spending and then not be readable, an
    ///   event says so, and the balance is the one from before.
    /// - Throws: ``LedgerError``: `insufficientFunds` where the wallet holds less, `conflict` where the token was used
    ///   for another spending, `invalidFact` for an amount that is not above zero, or a failure of the storage.
    @discardableResult
    public func spend(_ amount: Int, from wallet: String, token: String) async throws(LedgerError) -> Int {
        _ = try await ledger.append([.debit(Fact.Debit(token: token, wallet: wallet, amount: amount))], at: now())
        await state.refreshOrReport()
        return walletBalance(for: wallet)
    }

    /// Stops taking in transactions and ends every stream of events.
    public func stop() async {
        await queue.stop()
        state.events.finish()
    }
}

/// Why a product was not unlocked.
public struct UnlockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        public static let notInCatalog = Code("not-in-catalog")
        public static let consumable = Code("consumable")
        /// The ledger did not record it.
        public static let ledger = Code("ledger")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}

extension Ownership {
    fileprivate var includesOwnTransaction: Bool {
        guard case .owned(let reasons) = self else { return false }
        return reasons.contains { if case .transaction = $0 { true } else { false } }
    }
}
