public import CatalogLoading
public import Entitlements
internal import EntitlementsSQLite
internal import FileSystem
internal import Foundation
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
    let loader: CatalogLoader
    let store: any Store
    let requester: ProductRequester
    let ledger: any Ledger
    let verifier: any TransactionVerifier
    let queue: PurchaseQueue
    let grandfathering: Grandfathering
    let receiptFlow: ReceiptFlow?
    /// A new receipt may be asked for when products are loaded.
    var mayRefreshReceipt: Bool
    let openingFacts: OpeningFacts
    let options: ManagerOptions
    var buysPromoted: Bool { options.buysPromoted }
    var hooks: AppHooks { options.hooks }
    var receiptVerifier: (any ReceiptVerifier)? { options.receipts?.verifier }
    var readsReceiptAtLaunch: Bool { options.receipts?.readsAtLaunch ?? false }
    nonisolated let content: OwnedContent
    nonisolated let state: ManagerState
    nonisolated var now: @Sendable () -> Date { options.now }
    var loading: Task<(status: LoadingStatus, isServerSpared: Bool), Never>?
    var record: LoadRecord
    let schedule: LoadSchedule
    /// Due when products are loaded again by themselves.
    nonisolated let loadAlarm: Alarm
    private var listeners: [Task<Void, Never>] = []
    let images: ImageCache
    /// In seconds: images are asked for no more often.
    let imageAge: TimeInterval
    /// The fetching of images after the last load.
    var imageFetch: Task<Void, Never>?
    /// Ends with the events.
    private let logging: Task<Void, Never>?
    /// The store's answer that the ledger keeps, as far as this manager knows.
    var keptAnswer: StoreAnswer?
    /// What happened before anybody could listen, and is told with the first load.
    var untoldEvents: [CatalogEvent] = []
    /// The products that the customer has asked for in the store, and that nobody has bought yet.
    var promotedProducts: [String] = []
    private(set) var isStopped = false

    /// Opens the ledger, reads what is owned, and begins to deliver the store's transactions.
    ///
    /// A ledger that cannot be read any more is set aside, and a new one begun: ``ledgerLoss`` tells. What the store
    /// knows is read into it by ``loadProducts()``.
    ///
    /// - Parameters:
    ///   - source: Where the catalog comes from. It is read by ``loadProducts()``.
    ///   - store: The store that sells.
    ///   - verifier: What decides whether a transaction can be trusted.
    ///   - home: The app's folder. It is made unless it is there.
    ///   - packages: Where the packages of hosted content come from; `nil` for an app that has none.
    ///   - ledger: Where facts are kept; by default the home's SQLite ledger.
    ///   - options: What else there is to choose.
    /// - Throws: `LedgerError` where the home or the ledger cannot be used.
    public init(
        catalog source: CatalogSource,
        store: any Store,
        verifier: any TransactionVerifier,
        home: Home,
        content packages: PackageFolder? = nil,
        ledger: (any Ledger)? = nil,
        options: ManagerOptions = ManagerOptions()
    ) async throws(LedgerError) {
        do {
            try home.create()
        } catch {
            throw LedgerError(code: .unavailable, reason: "the home cannot be made: \(BoundedFile.reason(for: error))")
        }
        let opened: (ledger: any Ledger, standing: LedgerStanding)
        if let ledger {
            opened = (ledger, try await ledger.standing())
        } else {
            let fromHome = try await LedgerOpening(home: home, now: options.now()).open()
            opened = (fromHome.ledger, fromHome.standing)
        }
        let (ledger, now) = (opened.ledger, options.now)
        do {
            keptAnswer = try await StoreAnswer.kept(in: ledger)
        } catch {
            untoldEvents.append(.loading(.storedProductsFailed(error)))
        }
        let imageVariants = ImageVariants(scale: options.imageScale, idiom: options.imageIdiom)
        let state = ManagerState(
            ledger: ledger, standing: opened.standing, storeAnswer: keptAnswer, languages: options.languages,
            bundledImages: BundledImages(folder: options.bundledContent, variants: imageVariants),
            appVersion: options.appVersion.flatMap { VersionNumber($0) }, mirror: options.mirror, now: now,
            sleep: options.schedule.sleep)
        loader = CatalogLoader(
            source: source, cacheFolder: home.cache, transport: options.transport,
            numbers: LedgerNumbers(ledger: ledger),
            appBuild: options.appBuild, now: now)
        images = ImageCache(
            folder: home.cache.appending(path: "Images", directoryHint: .isDirectory), transport: options.transport,
            variants: imageVariants, now: now)
        imageAge = source.imageAge
        self.store = store
        record = LoadRecord(source: source)
        requester = ProductRequester(store: store, batchSize: options.productBatchSize)
        schedule = LoadSchedule(retries: options.schedule, interval: options.refreshInterval)
        loadAlarm = Alarm(now: now, sleep: options.schedule.sleep)
        self.ledger = ledger
        self.verifier = verifier
        self.state = state
        self.options = options
        logging = options.logger.map { EventLog($0).follow(state.events.listener()) }
        content = OwnedContent(
            home: home, packages: packages, store: store.content, ledger: ledger, state: state, options: options)
        grandfathering = Grandfathering(
            store: store, verifier: verifier, ledger: ledger, state: state,
            sandboxOriginalVersion: options.sandboxOriginalVersion, now: now)
        openingFacts = OpeningFacts(ledger: ledger, state: state, directory: content.directory, now: now)
        queue = PurchaseQueue(
            store: store, ledger: ledger, verifier: verifier, content: content, hooks: options.hooks,
            catalog: { state.snapshot.catalog }, now: now, schedule: options.schedule,
            announce: { await state.announce($0) }
        )
        let queue = queue
        receiptFlow = options.receipts.map {
            ReceiptFlow(store: store, verifier: $0.verifier, queue: queue, state: state)
        }
        mayRefreshReceipt = options.receipts?.refresh == .whenMissing
        await queue.observe()
        let happenings = state.events.stream()
        listeners.append(
            Task { [weak self] in
                for await event in happenings { await self?.lookAfterContent(event) }
            })
        let promoted = store.promotedPurchases()
        listeners.append(
            Task { [weak self] in
                for await identifier in promoted { await self?.takeIn(promoted: identifier) }
            })
        let moves = store.storefrontChanges()
        listeners.append(
            Task { [weak self] in
                for await _ in moves { await self?.storefrontChanged() }
            })
        if let background = content.background {
            listeners.append(
                Task { [downloads = content.downloads] in
                    for await product in background.wakes { await downloads.wake(product) }
                })
        }
        if let changes = options.networkChanges?() {
            listeners.append(
                Task { [weak self] in
                    for await _ in changes { await self?.networkMayBeBack() }
                })
        }
    }

    deinit {
        imageFetch?.cancel()
        for listener in listeners { listener.cancel() }
    }

    // MARK: What is known

    /// How far loading has come.
    public nonisolated var status: LoadingStatus { state.snapshot.status }

    /// Every product of the catalog in its order, offered or not.
    public nonisolated var listing: [ProductListing] { state.snapshot.listing }

    /// What is shown of a product; `nil` for one that the catalog does not have.
    public nonisolated func listing(for identifier: String) -> ProductListing? { state.snapshot.listings?[identifier] }

    /// The products that can be bought now.
    public nonisolated var products: [ProductListing] { listing.filter(\.isOffered) }

    /// The identifiers of the catalog that the store did not know when it was asked last.
    public nonisolated var invalidIdentifiers: [String] { state.snapshot.invalidIdentifiers }

    /// The catalog that was read last.
    public nonisolated var catalog: Catalog? { state.snapshot.catalog }

    /// The catalog that was read last, with where it came from and how good it is known to be.
    public nonisolated var loadedCatalog: LoadedCatalog? { state.snapshot.loadedCatalog }

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

    /// The units in a wallet; 0 in one that nothing was ever put into. It is unknown after a ledger was lost, until
    /// ``settleLoss(because:by:)``.
    public nonisolated func walletBalance(for key: String) -> WalletBalance {
        state.snapshot.entitlements.balance(of: key)
    }

    /// The balance of each wallet that was ever changed.
    public nonisolated var walletBalances: [String: WalletBalance] {
        let entitlements = state.snapshot.entitlements
        return Dictionary(uniqueKeysWithValues: entitlements.balances.keys.map { ($0, entitlements.balance(of: $0)) })
    }

    /// What was lost with an earlier ledger that could not be read any more; `nil` where none was, or that is settled.
    public nonisolated var ledgerLoss: Fact.Loss? { state.snapshot.entitlements.loss }

    /// The version of the app that the customer got first, as the store has signed it: its build number, but on macOS
    /// its version number. `nil` while it is not known.
    public nonisolated var originalPurchasedVersion: String? { originalPurchase?.version }

    /// How the customer first got the app, as the store has signed it; `nil` while it is not known.
    public nonisolated var originalPurchase: OriginalPurchase? { state.snapshot.entitlements.appPurchase?.original }

    /// Whether a product is owned because of how the customer first got the app, as the catalog's rules stand; `nil` for a
    /// product without such a rule, or one that is not in the catalog.
    public nonisolated func isGrandfathered(for identifier: String) -> GrandfatheringRule.Answer? {
        let entitlements = state.snapshot.entitlements
        guard let product = entitlements.catalog?[identifier], product.isGrandfathered else { return nil }
        return entitlements.appPurchase.map { product.grandfathered.answer(for: $0.original) } ?? .unknown
    }

    /// The purchases of a product that the store has taken back, the latest first.
    public nonisolated func revocations(of identifier: String) -> [Fact.Revocation] {
        state.snapshot.entitlements.revocations(of: identifier)
    }

    /// What happens from now on. Each call gives a stream of its own, which holds nobody up: one that falls behind by more
    /// than ten thousand events loses the oldest of them, and is told so by ``CatalogEvent/eventsMissed(_:)``.
    public nonisolated func events() -> AsyncStream<CatalogEvent> { state.events.stream() }

    // MARK: Ending

    /// Stops taking in transactions, loads and buys nothing more by itself, and ends every stream of events. A load that is
    /// under way is given up, and waited for, as are purchases whose content was coming: a hook must not wait for this. A
    /// purchase that the store has been asked for is the customer's to end. What has happened can still be read from the
    /// streams, and is in the log. What comes in the background goes on.
    public func stop() async {
        isStopped = true
        content.background?.leave()
        // Loads and deliveries wait for content.
        await content.downloads.stop()
        await stopLoading()
        await stopImages()
        for listener in listeners { listener.cancel() }
        await queue.stop()
        // Their content does not come any more, and each is told where it stands.
        await queue.contentSettled()
        state.stop()
        await logging?.value
    }
}
