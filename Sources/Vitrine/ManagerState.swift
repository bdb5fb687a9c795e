internal import Entitlements
internal import ProductCatalog
internal import Purchasing
internal import Synchronization

/// What is known at the moment, readable by anybody at any time, and the events that tell how it changes.
final class ManagerState: Sendable {
    struct Snapshot: Sendable {
        var status = LoadingStatus.productsLoading
        /// What the store said last; `nil` if it never answered.
        var storeProducts: [String: StoreProduct]?
        var invalidIdentifiers: [String] = []
        var entitlements: EntitlementSnapshot
        var listing: [ProductListing] = []

        var catalog: Catalog? { entitlements.catalog }
    }

    let events = EventSource()
    private let ledger: any Ledger
    private let languages: [String]
    private let current: Mutex<Snapshot>

    /// Reads the whole ledger, so that ownership is known before anything is loaded.
    init(ledger: any Ledger, languages: [String]) async throws(LedgerError) {
        self.ledger = ledger
        self.languages = languages
        let entries = try await ledger.entries(after: 0)
        current = Mutex(Snapshot(entitlements: EntitlementSnapshot(catalog: nil, entries: entries)))
    }

    var snapshot: Snapshot { current.withLock { $0 } }

    func set(_ status: LoadingStatus) {
        current.withLock { $0.status = status }
        events.send(.statusChanged(status))
    }

    func set(_ catalog: Catalog) {
        let newlyOwned = current.withLock { snapshot in
            let before = Set(snapshot.entitlements.owned)
            snapshot.entitlements = snapshot.entitlements.with(catalog: catalog)
            snapshot.merge(languages: languages)
            return snapshot.entitlements.owned.filter { !before.contains($0) }
        }
        events.send(.listUpdated(catalog))
        if !newlyOwned.isEmpty { events.send(.ownershipChanged(newlyOwned)) }
    }

    func set(_ products: [StoreProduct]) {
        let invalidIdentifiers = current.withLock { snapshot in
            let known = Dictionary(products.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
            snapshot.storeProducts = known
            snapshot.invalidIdentifiers =
                snapshot.catalog?.products.map(\.identifier).filter { known[$0] == nil } ?? []
            snapshot.merge(languages: languages)
            return snapshot.invalidIdentifiers
        }
        events.send(.productsUpdated(invalidIdentifiers: invalidIdentifiers))
    }

    /// Takes in what the ledger has, whoever wrote it.
    func refresh() async throws(LedgerError) {
        let last = snapshot.entitlements.lastSequence
        let entries = try await ledger.entries(after: last)
        guard !entries.isEmpty else { return }
        // Another call may have applied some of them meanwhile; those are skipped.
        let (changes, balances) = current.withLock { snapshot in
            let changes = snapshot.entitlements.apply(entries)
            snapshot.merge(languages: languages)
            return (changes, snapshot.entitlements.balances)
        }
        if !changes.newlyOwned.isEmpty { events.send(.ownershipChanged(changes.newlyOwned)) }
        for wallet in changes.wallets { events.send(.walletChanged(wallet, balance: balances[wallet, default: 0])) }
    }

    /// Tells a step of a transaction. What it recorded is taken in before anybody hears of it.
    func announce(_ step: TransactionStep) async {
        events.send(.transactionUpdated(step))
        guard case .recorded = step else { return }
        do {
            try await refresh()
        } catch {
            events.send(.ledgerFailed(error))
        }
    }
}

extension ManagerState.Snapshot {
    fileprivate mutating func merge(languages: [String]) {
        guard let catalog else { return }
        listing = ListingMerge(
            catalog: catalog, storeProducts: storeProducts, entitlements: entitlements, languages: languages
        ).listing()
    }
}
