import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport

/// Command with the options of a storage directory.
protocol SessionCommand: ReportingCommand {
    var session: SessionOptions { get }
}

extension SessionCommand {
    var output: OutputOptions { session.output }
}

/// Command that uses the manager of a storage directory.
protocol HomeCommand: SessionCommand {
    /// `true` to wait for the content of unfinished purchases before the report; `false` to interrupt the downloads at
    /// the end of the command, for a later command to resume.
    var awaitsContent: Bool { get }

    /// Returns the report of the command. It is called after the products were loaded.
    func report(_ manager: CatalogManager) async throws -> Report
}

extension HomeCommand {
    var awaitsContent: Bool { true }

    func report() async throws -> Report {
        try await OpenHome.open(session).use(awaitsContent: awaitsContent) { manager, _ in try await report(manager) }
    }
}

/// Open storage directory of a command, with a manager for its ledger, catalog and simulated store.
struct OpenHome {
    let manager: CatalogManager
    private let clock: StoreClock?
    private let remotePath: String?
    private let printer: Task<Void, Never>

    /// Opens a storage directory, even if its catalog or its store is missing or damaged.
    ///
    /// - Parameters:
    ///   - receipt: Handling of the app receipt when the products are loaded; `nil` to ignore it.
    ///   - customer: Language and storefront of the customer; `nil` for the defaults of this machine and the store.
    ///   - server: App's own server; `nil` for the server of the last exchange, if there is one.
    static func open(
        _ options: SessionOptions, receipt: ReceiptOptions.Refresh? = nil, refreshInterval: Duration? = nil,
        customer: CustomerOptions? = nil, server: ManagerOptions.Server? = nil
    ) async throws -> OpenHome {
        let home = options.home.folder
        guard let settings = try HomeSettings.read(from: home) else {
            throw ToolFailure(
                status: .noInput,
                reason: "there is no home in \(home.url.relativePath); create one with 'vitrine init'")
        }
        let (store, verifier, receiptVerifier, clock) = try storeAndVerifiers(in: home, customer)
        let source = try settings.source()
        var managerOptions = ManagerOptions()
        managerOptions.clock = clock.map { clock in
            ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
        }
        if let date = options.deviceClock.flatMap({ Date(dayOrTime: $0) }) {
            managerOptions.clock = ManagerOptions.Clock(
                now: { date }, sleepUntil: { _ in try await Task.sleep(for: .seconds(86_400)) })
        }
        // Titles come from the store and descriptions from the catalog: both are in one language.
        if let locale = customer?.language ?? (store as? SimulatedStore)?.localeIdentifier {
            managerOptions.languages = [locale.replacing("_", with: "-")]
        }
        managerOptions.server = server ?? settings.exchange?.serverOptions
        managerOptions.bundledFiles = settings.bundledContent
        managerOptions.purchases.sandboxOriginalVersion = .asSigned
        if let accounts = settings.accounts.flatMap(AccountPolicy.init) { managerOptions.purchases.accounts = accounts }
        managerOptions.purchases.receipts = ReceiptOptions(
            verifier: receiptVerifier, refresh: receipt ?? .never, readsAtLaunch: receipt != nil)
        managerOptions.content.resumesDownloads = false
        managerOptions.images.areFetched = false
        managerOptions.loading.refreshInterval = refreshInterval
        managerOptions.loading.keepsStoreSnapshot = customer?.isSomebodyElse != true
        let manager = try await CatalogManager(
            catalog: source,
            store: store, verifier: verifier, home: home,
            content: settings.content.map { PackageFolder(url: URL(filePath: $0, directoryHint: .isDirectory)) },
            options: managerOptions)
        if let loss = manager.ledger.loss {
            Console.say(
                "warning: the ledger was lost: \(loss.reason); balances are unknown until you run 'vitrine settle'")
        }
        let events = manager.events()
        return OpenHome(
            manager: manager, clock: clock, remotePath: settings.remote?.url,
            printer: Task {
                var display = DownloadDisplay(manager: manager, isVerbose: options.verbose)
                for await event in events {
                    // The download is displayed before its event is printed, because Ctrl-C must pause it once the
                    // event is visible.
                    if case .content(.downloadUpdated(let status)) = event { display.show(status) }
                    if options.verbose, !event.followsFromAnother { Console.pass(event.text) }
                }
                display.end()
            })
    }

    /// Loads the products as an app does at launch, which delivers purchases that an earlier command left unfinished;
    /// then runs `body` and stops the manager.
    ///
    /// Read and write errors during this time are printed, and make the exit status at least 74.
    ///
    /// - Parameters:
    ///   - awaitsContent: `true` to wait for the content of unfinished purchases before `body` runs; `false` to
    ///     interrupt the downloads at the end of the command, for a later command to resume.
    ///   - body: Function that uses the manager and returns the report. Its second argument contains the events of
    ///     loading, and the results of the purchases that the customer had requested in the store.
    func use(
        awaitsContent: Bool = true, _ body: (CatalogManager, [CatalogEvent]) async throws -> Report
    ) async throws -> Report {
        let (stream, tally) = (manager.events(), manager.eventTally())
        await manager.loadProducts()
        let requested = tally.drain().filter { $0.purchaseDocument != nil }
        if awaitsContent { await manager.contentSettled() }
        var events = await loadingEvents(stream)
        for event in events where event.storageFailure == nil {
            if let remark = event.remark { Console.say("warning: \(remark)") }
        }
        let loaded = events.count
        let result: Result<Report, any Error>
        do {
            let report = try await body(manager, events + requested)
            // Restoring purchases may have started downloads.
            if awaitsContent { await manager.contentSettled() }
            result = .success(report)
        } catch {
            result = .failure(error)
        }
        await close()
        for await event in stream { events.append(event) }
        for event in events[loaded...] where event.storageFailure == nil {
            // The command itself reports all else that has happened in it.
            if event.isUnexpected, let remark = event.remark { Console.say("warning: \(remark)") }
        }
        let failures = events.compactMap(\.storageFailure)
        for failure in failures { Console.say("error: \(failure)") }
        let least: ExitStatus = failures.isEmpty ? .yes : .inputOutput
        do {
            var report = try result.get()
            report.status = max(report.status, least)
            return report
        } catch {
            guard let failure = (error as? any CommandFailure)?.failure else { throw error }
            throw ToolFailure(status: max(failure.status, least), reason: failure.reason)
        }
    }

    /// Current date of the store's clock, or of this machine if the store cannot be opened.
    var date: Date { clock?.now ?? Date() }

    /// Path or URL of the current catalog, for messages.
    var catalogPath: String {
        if case .file(let url) = manager.catalog.loaded?.origin { url.relativePath } else { remotePath ?? "" }
    }

    /// Stops the manager and waits until all events are printed.
    func close() async {
        await manager.stop()
        await printer.value
    }

    /// Returns the events of loading, up to the event with the final status.
    private func loadingEvents(_ stream: AsyncStream<CatalogEvent>) async -> [CatalogEvent] {
        var events: [CatalogEvent] = []
        for await event in stream {
            events.append(event)
            if case .loading(.statusChanged(let status)) = event, status != .productsLoading, status != .listLoaded {
                break
            }
        }
        return events
    }

    /// Returns the simulated store with its verifiers. If the store cannot be opened, returns a substitute whose
    /// requests fail, so that the ledger can still be read.
    private static func storeAndVerifiers(
        in home: Home, _ customer: CustomerOptions?
    ) throws -> (any Store, any TransactionVerifier, any ReceiptVerifier, clock: StoreClock?) {
        do {
            let store = try home.openStore(storefront: customer?.storefront, language: customer?.language)
            let clock = store.clock
            return (store, try StoreVerifier(store: store), StoreReceiptVerifier(store: store), clock)
        } catch let error as SimulatedStoreError {
            guard error.code != .noSuchStorefront else { throw ToolFailure(error) }
            Console.say("warning: the store cannot be reached: \(error.reason)")
            return (
                UnreachableStore(error: StoreError(error)), UnreachableVerifier(reason: error.reason),
                AppReceiptVerifier(
                    roots: .none, bundleIdentifier: "", environment: .sandbox, deviceIdentifier: Data()),
                nil
            )
        }
    }
}

extension CatalogEvent {
    /// `true` for an event that the result of a command does not report.
    fileprivate var isUnexpected: Bool {
        switch self {
        case .transaction(.notFinished), .entitlements(.accountChanged): true
        default: false
        }
    }
}

/// Store that fails every request, as substitute for a store that cannot be opened.
private struct UnreachableStore: Store {
    let error: StoreError

    func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] { throw error }

    func storefront() async throws(StoreError) -> String? { throw error }

    func paymentRestriction() -> String? { nil }

    func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchaseAnswer {
        throw error
    }

    func restore() async throws(StoreError) -> [StoreTransaction] { throw error }

    func knownTransactions() async throws(StoreError) -> [StoreTransaction] { throw error }

    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] { throw error }

    func finish(_ transaction: StoreTransaction) async throws(StoreError) { throw error }

    func appTransaction() async throws(StoreError) -> String? { throw error }

    func appReceipt() async throws(StoreError) -> Data? { throw error }

    func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data { throw error }

    func updates() -> AsyncStream<StoreTransaction> { AsyncStream { $0.finish() } }

    func storefrontChanges() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    func promotedPurchases() -> AsyncStream<PromotedPurchase> { AsyncStream { $0.finish() } }
}

/// Verifier whose results are all undetermined, because the store that has signed the data cannot be opened.
private struct UnreachableVerifier: TransactionVerifier {
    let reason: String

    func verify(transaction signedData: String) -> Verification<SignedTransaction> { .undetermined(reason) }

    func verify(appTransaction signedData: String) -> Verification<SignedAppTransaction> { .undetermined(reason) }

    func verify(renewal signedData: String) -> Verification<SignedRenewal> { .undetermined(reason) }
}
