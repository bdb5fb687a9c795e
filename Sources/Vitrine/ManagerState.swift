internal import Entitlements
internal import ProductCatalog
internal import Purchasing
internal import Synchronization

/// What is known at the moment, readable by anybody at any time, and the events that tell how it changes.
final class ManagerState: Sendable {
    struct Snapshot: Sendable {
        var status = LoadingStatus.productsLoading
        var storeAnswer: StoreAnswer?
        var invalidIdentifiers: [String] = []
        /// The products whose hosted content can be had.
        var availableContent: Set<String> = []
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
        current = Mutex(Snapshot(entitlements: try EntitlementSnapshot(catalog: nil, entries: entries)))
    }

    var snapshot: Snapshot { current.withLock { $0 } }

    func set(_ status: LoadingStatus) {
        current.withLock { $0.status = status }
        events.send(.statusChanged(status))
    }

    func set(_ catalog: Catalog, availableContent: Set<String>) {
        let changed = current.withLock { snapshot in
            let before = snapshot.entitlements.owned
            snapshot.availableContent = availableContent
            snapshot.entitlements = snapshot.entitlements.with(catalog: catalog)
            snapshot.merge(languages: languages)
            let after = snapshot.entitlements.owned
            return after.filter(Set(after).subtracting(before).contains)
                + before.filter(Set(before).subtracting(after).contains)
        }
        events.send(.listUpdated(catalog))
        if !changed.isEmpty { events.send(.ownershipChanged(changed)) }
    }

    func set(_ answer: StoreAnswer) {
        let invalidIdentifiers = current.withLock { snapshot in
            snapshot.storeAnswer = answer
            snapshot.invalidIdentifiers = answer.asked.filter { answer.products[$0] == nil }
            snapshot.merge(languages: languages)
            return snapshot.invalidIdentifiers
        }
        events.send(.productsUpdated(invalidIdentifiers: invalidIdentifiers))
    }

    /// Takes in what the ledger has, whoever wrote it.
    func refresh() async throws(LedgerError) {
        for event in try await takeInEntries() { events.send(event) }
    }

    /// Takes in what the ledger has, where nobody can do anything about it if that fails: an event tells.
    func refreshOrReport() async {
        do {
            try await refresh()
        } catch {
            events.send(.ledgerFailed(error))
        }
    }

    /// Tells a step of a transaction. What it recorded is taken in before anybody hears of it.
    func announce(_ step: TransactionStep) async {
        switch step {
        case .recorded, .revoked: break
        default: return events.send(.transactionUpdated(step))
        }
        let changes: [CatalogEvent]
        do {
            changes = try await takeInEntries()
        } catch {
            changes = [.ledgerFailed(error)]
        }
        for event in [.transactionUpdated(step)] + changes { events.send(event) }
    }

    /// - Returns: The events that tell what has changed.
    private func takeInEntries() async throws(LedgerError) -> [CatalogEvent] {
        let entries = try await ledger.entries(after: snapshot.entitlements.lastSequence)
        guard !entries.isEmpty else { return [] }
        return try current.withLock { snapshot throws(LedgerError) in
            // Another call may have applied some of them meanwhile; those are skipped.
            let changes = try snapshot.entitlements.apply(entries)
            snapshot.merge(languages: languages)
            let balances = snapshot.entitlements.balances
            let ownership = changes.newlyOwned + changes.noLongerOwned
            return (changes.appPurchase.map { [.originalPurchaseKnown($0.original)] } ?? [])
                + (ownership.isEmpty ? [] : [.ownershipChanged(ownership)])
                + changes.wallets.map { .walletChanged($0, balance: balances[$0, default: 0]) }
        }
    }
}

/// What the store said last, and what it was asked.
struct StoreAnswer: Sendable {
    let asked: [String]
    let products: [String: StoreProduct]

    init(asked: [String], products: [StoreProduct]) {
        self.asked = asked
        self.products = Dictionary(products.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension ManagerState.Snapshot {
    fileprivate mutating func merge(languages: [String]) {
        guard let catalog else { return }
        listing = ListingMerge(
            catalog: catalog, storeAnswer: storeAnswer, availableContent: availableContent,
            entitlements: entitlements, languages: languages
        ).listing()
    }
}
