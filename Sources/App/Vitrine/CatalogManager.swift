internal import Foundation
internal import VitrineCatalog
public import VitrineCatalogLoading
public import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineFileSystem
public import VitrineHostedContent
public import VitrinePurchasing
public import VitrineReceipts
internal import VitrineSupport

/// Manager that sells the products of a catalog.
///
/// ```swift
/// let manager = try await CatalogManager(
///     catalog: .file(plist), store: store, verifier: verifier, home: Home(url: folder))
/// await manager.loadProducts()
/// let answer = await manager.purchase("com.example.voyager.guide.lisbon")
/// ```
///
/// Ownership is known as soon as a manager is created. From then on the manager delivers every transaction of the
/// store, even if the app has not loaded products and no caller waits for a result. Status, listing and ownership can
/// be read at any time, from any context, without waiting.
public actor CatalogManager {
    nonisolated let home: Home
    let loader: CatalogLoader
    let store: any Store
    let requester: ProductRequester
    let entitlements: EntitlementStore
    let verifier: any TransactionVerifier
    let queue: PurchaseQueue
    /// Calls of the app's functions that are in progress, for which the manager waits.
    nonisolated let hookCalls: HookCalls
    let callVerifications: CallVerifications
    let grandfathering: Grandfathering
    let receiptFlow: ReceiptFlow?
    /// `true` if a new app receipt may be requested when products are loaded.
    var mayRefreshReceipt: Bool
    let openingFacts: OpeningFacts
    let options: ManagerOptions
    var buysPromoted: Bool { options.purchases.buysPromoted }
    var hooks: AppHooks { options.purchases.hooks }
    var receiptVerifier: (any ReceiptVerifier)? { options.purchases.receipts?.verifier }
    var readsReceiptAtLaunch: Bool { options.purchases.receipts?.readsAtLaunch ?? false }
    nonisolated let ownedContent: OwnedContent
    nonisolated let credentialGate = CredentialGate()
    nonisolated let changeReaders = ChangeReaders()
    nonisolated let state: ManagerState
    nonisolated var now: @Sendable () -> Date { options.date }
    var loading: Task<(status: LoadingStatus, isServerSpared: Bool), Never>?
    var record: LoadRecord
    /// Request for a newer catalog than the one that the content on a server contradicts; `nil` if there is none.
    var renewal: Task<Bool, Never>?
    let schedule: LoadSchedule
    /// Alarm for the next automatic load of products.
    nonisolated let loadAlarm: Alarm
    private var listeners: [Task<Void, Never>] = []
    let images: ImageCache
    /// Minimum interval between two requests for the same image, in seconds.
    let imageAge: TimeInterval
    /// Task that fetches images after the last load.
    var imageFetch: Task<Void, Never>?
    /// Task that writes events to the log. It ends with the stream of events.
    private let logging: Task<Void, Never>?
    /// Tasks that store the customer's requests for approval of purchases and the last answer about subscriptions,
    /// until the manager is stopped or deallocated.
    private let storing: [Task<Void, Never>]
    /// Store response that the ledger has stored, as far as this manager knows.
    var storedSnapshot: StoreSnapshot?
    /// Events that occurred before any listener could subscribe, and are sent when the first load begins.
    var unsentEvents: [CatalogEvent] = []
    /// Purchases that the customer began in the store and that the app has not made yet.
    var promotedPurchases: [PromotedPurchase] = []
    /// `true` if everything was reported again to the app's server in this launch.
    var hasReportedAgain = false
    /// Record that the purchases which the store knows were read into the ledger; `nil` if none is stored.
    var knownPurchases: KnownPurchases?
    /// `true` if the purchases that the store knows were read since the manager was created, or has opened the ledger of
    /// another App Store account.
    var areChangesRead = false
    /// `true` while the purchases that the store knows are read.
    var isReadingPurchases = false
    /// Task that determines the present App Store account; `nil` if it is not being determined.
    var accountCheck: Task<Void, Never>?
    /// `true` if the last check has verified that the open ledger is that of the present App Store account.
    var isAccountVerified = false
    /// First signed entry of the ledger, until it is verified; `nil` if there was none when the ledger was opened.
    var unverifiedEntry: (kind: Fact.Kind, key: String)?
    private(set) var isStopped = false

    /// Opens the ledger, reads ownership, and starts to deliver the store's transactions.
    ///
    /// A ledger that can no longer be read is set aside and replaced by a new one: ``LedgerAccess/loss`` then describes
    /// the loss. ``loadProducts()`` reads the purchases that the store knows into a new ledger; until then, products
    /// that may be owned are not offered.
    ///
    /// - Parameters:
    ///   - source: Source of the catalog. ``loadProducts()`` reads it.
    ///   - store: Store that sells the products.
    ///   - verifier: Verifier that decides whether a transaction can be trusted.
    ///   - home: Storage directory of the app. Created if it does not exist.
    ///   - packages: Folder with the packages of hosted content; `nil` for an app that has none.
    ///   - ledger: Ledger that stores facts; by default the SQLite ledger in the storage directory.
    ///   - options: Further options.
    /// - Throws: `LedgerError` if the storage directory or the ledger cannot be used; `unavailable` also for a ledger of
    ///   the app with ``AccountPolicy/separate``, which needs the one in the storage directory.
    public init(
        catalog source: CatalogSource,
        store: any Store,
        verifier: any TransactionVerifier,
        home: Home,
        content packages: PackageFolder? = nil,
        ledger: (any Ledger)? = nil,
        options: ManagerOptions = ManagerOptions()
    ) async throws(LedgerError) {
        let hookCalls = HookCalls(limit: options.purchases.hookLimit)
        let options = options.counted(by: hookCalls)
        self.hookCalls = hookCalls
        self.home = home
        do {
            try home.create()
        } catch {
            throw LedgerError(
                code: .unavailable,
                reason: "the storage directory cannot be created: \(BoundedFile.reason(for: error))")
        }
        let opened: (ledger: any Ledger, summary: LedgerSummary)
        var homeLedger: HomeLedger?
        let accounts = options.purchases.accounts
        if let ledger {
            guard accounts == .keepAll else {
                throw LedgerError(
                    code: .unavailable, reason: "a ledger of the app cannot keep App Store accounts apart")
            }
            opened = (ledger, try await ledger.summary())
        } else {
            let fromHome = try await HomeLedger.open(home, accounts: accounts, now: options.date)
            homeLedger = fromHome.ledger
            opened = (fromHome.ledger, fromHome.summary)
        }
        let (ledger, now) = (opened.ledger, options.date)
        // If the account cannot be read, a change of it is not noticed. Other values report that the ledger is unreadable.
        let account =
            accounts == .separate
            ? homeLedger?.account.map { LedgerAccount(account: $0) }
            : (try? await LedgerAccount.of(ledger, opened.summary)) ?? nil
        unverifiedEntry = opened.summary.entries.lazy.map(\.fact)
            .first { $0.origin != nil && $0.receiptDigest == nil }.map { ($0.kind, $0.key) }
        do {
            storedSnapshot = try await StoreSnapshot.stored(in: ledger)
        } catch {
            unsentEvents.append(.loading(.storedProductsFailed(error)))
        }
        var storedCheck: SubscriptionCheck?
        do {
            storedCheck = try await StoredJSON.subscriptionCheck.value(in: ledger)
        } catch {
            unsentEvents.append(.loading(.storedProductsFailed(error)))
        }
        var known: KnownPurchases?
        do {
            known = try await StoredJSON.knownPurchases.value(in: ledger)
        } catch {
            unsentEvents.append(.loading(.storedProductsFailed(error)))
        }
        let check = (storedCheck ?? SubscriptionCheck()).withoutForeignClockLead(in: home, after: known)
        known = known?.ifMade(in: home)
        knownPurchases = known
        let imageVariants = ImageVariants(scale: options.images.scale, idiom: options.images.idiom)
        let entitlements = EntitlementStore(
            ledger, summary: opened.summary, at: now(), check: check,
            isIncomplete: known == nil || account?.isUnread == true,
            renewalLeeway: options.purchases.renewalLeewaySeconds)
        let state = ManagerState(
            entitlements: entitlements, storeSnapshot: storedSnapshot, accounts: accounts, account: account,
            languages: options.languages,
            bundledImages: BundledImages(folder: options.bundledFiles, variants: imageVariants),
            appVersion: options.appVersion.flatMap { VersionNumber($0) },
            isAppDelivering: options.purchases.hooks.delivery != nil, mirror: options.mirror, now: now,
            sleep: options.loading.schedule.sleep, clock: options.clock)
        homeLedger?.onReplacement { [weak entitlements] in entitlements?.apply($0, at: now()) }
        loader = CatalogLoader(
            source: source, cacheFolder: home.cache, transport: options.loading.transport,
            numbers: CatalogNumbers(ledger: ledger, home: home),
            appBuild: options.appBuild, now: now)
        images = ImageCache(
            folder: home.cache.appending(path: "Images", directoryHint: .isDirectory),
            transport: options.loading.transport,
            variants: imageVariants, now: now)
        imageAge = source.imageAge
        self.store = store
        record = LoadRecord(source: source)
        requester = ProductRequester(store: store, batchSize: options.loading.productBatchSize)
        schedule = LoadSchedule(retries: options.loading.schedule, interval: options.loading.refreshInterval)
        loadAlarm = Alarm(now: now, sleep: options.loading.schedule.sleep)
        self.entitlements = entitlements
        self.verifier = verifier
        self.state = state
        self.options = options
        do {
            state.setApprovals(try await StoredJSON.approvals.value(in: ledger) ?? [:], validAt: now())
        } catch {
            unsentEvents.append(.loading(.storedProductsFailed(error)))
        }
        storing = [
            StoredJSON.approvals.follow(state.approvals.stream, in: ledger, reportingTo: state),
            StoredJSON.subscriptionCheck.follow(state.subscriptionChecks.stream, in: ledger, reportingTo: state),
            StoredJSON.account.follow(state.accountChanges.stream, in: ledger, reportingTo: state),
        ]
        // The clock may have passed the end of a period while the app was not running.
        if entitlements.snapshot.check != storedCheck ?? SubscriptionCheck() { state.storeSubscriptionCheck() }
        logging = options.logger.map { EventLog($0).follow(state.events.listener()) }
        ownedContent = OwnedContent(
            home: home, packages: packages, store: store.content, entitlements: entitlements, state: state,
            options: options)
        grandfathering = Grandfathering(
            store: store, verifier: verifier, entitlements: entitlements, state: state,
            sandboxOriginalVersion: options.purchases.sandboxOriginalVersion, now: now)
        openingFacts = OpeningFacts(
            entitlements: entitlements, state: state, directory: ownedContent.directory, now: now)
        let callVerifications = CallVerifications(now: now)
        self.callVerifications = callVerifications
        queue = PurchaseQueue(
            store: store, entitlements: entitlements, verifier: verifier, content: ownedContent,
            hooks: options.purchases.hooks.verifying(forCalls: callVerifications), hookCalls: hookCalls,
            catalog: { state.snapshot.deliveringCatalog }, now: now, schedule: options.loading.schedule,
            emit: { step in
                callVerifications.note(step)
                state.send(.transaction(step))
                if case .recorded(let signed, isNew: true) = step {
                    state.note(account: signed.payload.appTransactionID)
                }
            },
            completed: { state.send(.purchase(.completed($0))) }
        )
        let queue = queue
        receiptFlow = options.purchases.receipts.map {
            ReceiptFlow(
                store: store, verifier: $0.verifier, queue: queue, hookCalls: hookCalls, state: state,
                recordsPurchases: options.purchases.hooks.verification == nil)
        }
        mayRefreshReceipt = options.purchases.receipts?.refresh == .whenMissing
        await ownedContent.downloads.onContradiction { [weak self] in await self?.newerContent(insteadOf: $0) ?? .none }
        homeLedger?.onOtherAccount { [weak self] in await self?.followAccount() }
        ownedContent.server?.connect(to: self)
        await queue.observe()
        startListening()
    }

    /// Starts to react to events, changes of account and storefront, promoted purchases, background downloads and changes
    /// of the network, until the manager stops.
    private func startListening() {
        listen(to: state.events.stream()) { await $0.lookAfterContent($1) }
        listen(to: state.replacedAccounts.stream) { manager, _ in await manager.readPurchasesOfReplacedAccount() }
        if options.snapshot != nil {
            writeSnapshot()
            listen(to: state.events.stream()) { await $0.writeSnapshot(after: $1) }
        }
        listen(to: store.promotedPurchases()) { await $0.purchasePromoted($1) }
        listen(to: store.storefrontChanges()) { manager, _ in await manager.storefrontChanged() }
        if let background = ownedContent.background {
            listeners.append(
                Task { [downloads = ownedContent.downloads] in
                    for await product in background.wakes { await downloads.wake(product) }
                })
        }
        if let changes = options.loading.networkChanges?() {
            listen(to: changes) { manager, _ in await manager.networkMayBeBack() }
        }
    }

    /// Reacts to each element of a stream, until the manager is stopped or deallocated.
    func listen<Element: Sendable>(
        to stream: AsyncStream<Element>, react: @escaping @Sendable (CatalogManager, Element) async -> Void
    ) {
        listeners.append(
            Task { [weak self] in
                for await element in stream {
                    guard let self else { return }
                    await react(self, element)
                }
            })
    }

    deinit {
        imageFetch?.cancel()
        for listener in listeners { listener.cancel() }
    }

    // MARK: Current state

    /// Current stage of loading.
    public nonisolated var status: LoadingStatus { state.snapshot.status }

    /// All products of the catalog in catalog order, offered or not.
    public nonisolated var listing: [ProductListing] { state.snapshot.listing }

    /// Returns the listing of a product; `nil` for a product that the catalog does not contain.
    public nonisolated func listing(for identifier: String) -> ProductListing? { state.snapshot.shown[identifier] }

    /// Products that can be bought now.
    public nonisolated var products: [ProductListing] { listing.filter(\.isOffered) }

    /// Returns whether a product is owned, and why.
    public nonisolated func ownership(of identifier: String) -> Ownership {
        state.snapshot.entitlements.ownership(of: identifier)
    }

    /// Auto-renewable subscriptions of the customer, including ended ones, in the order of their first transactions.
    public nonisolated var subscriptions: [CustomerSubscription] { state.snapshot.subscriptions }

    /// Identifiers of all owned products: products of the catalog in catalog order, then other products in the ledger.
    public nonisolated var ownedProducts: [String] { state.snapshot.entitlements.owned }

    /// Returns a new stream of all events from now on. A slow listener does not block others: a stream that falls
    /// behind by more than ten thousand events drops the oldest ones and reports their number with
    /// ``CatalogEvent/eventsMissed(_:)``.
    public nonisolated func events() -> AsyncStream<CatalogEvent> { state.events.stream() }

    /// Returns a tally of all events that occur from now on.
    package nonisolated func eventTally() -> EventTally { EventTally(state.events) }

    // MARK: Stopping

    /// Stops the manager: it no longer processes transactions, loads or buys automatically, and ends every stream of
    /// events.
    ///
    /// A load in progress is canceled and awaited, as are purchases whose content is being downloaded, but hooks of the
    /// app only within ``ManagerOptions/Purchases/hookLimit``. A hook that is still running then is not canceled; its
    /// result is recorded, and no event reports it. Within a hook, the method awaits none of these.
    ///
    /// Afterwards the ledger's file is complete without its write-ahead log. A purchase that was already submitted to
    /// the store is left for the customer to complete. Events sent so far can still be read from the streams and are in
    /// the log. Background downloads continue.
    public func stop() async {
        isStopped = true
        ownedContent.background?.leave()
        renewal?.cancel()
        // Downloads are stopped first, because loads and deliveries wait for content.
        await stopDownloads()
        await stopLoading()
        await stopImages()
        for listener in listeners { listener.cancel() }
        changeReaders.stop()
        await queue.stop()
        // The content of pending purchases no longer arrives: the callers receive the state of their purchases.
        if !hookCalls.isInside { await queue.contentSettled() }
        state.endStoring()
        for task in storing { await task.value }
        await (entitlements.ledger as? HomeLedger)?.checkpoint()
        state.stop()
        await logging?.value
    }

    /// Stops all downloads. A download that waits for the app's decision is awaited only within the limit, and not
    /// within a hook of the app.
    private func stopDownloads() async {
        let stopping = Task { await ownedContent.downloads.stop() }
        if !hookCalls.isInside { await hookCalls.value(of: stopping) { $0 == .download } }
    }
}
