internal import Entitlements
internal import Foundation
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
        var lazyListing = LazyListing { [] }

        var listing: [ProductListing] { lazyListing.products }

        var catalog: Catalog? { entitlements.catalog }
    }

    let events = EventSource()
    private let ledger: any Ledger
    private let languages: [String]
    private let mirror: PreferenceMirror?
    private let now: @Sendable () -> Date
    private let current: Mutex<Snapshot>
    private let isMirroring = Mutex(false)
    /// Whoever listens to the preferences may come back while they are written.
    private let mirrorLock = NSRecursiveLock()
    private let endWatch: EndWatch

    /// - Parameter standing: What the ledger has: ownership is known before anything is loaded.
    init(
        ledger: any Ledger, standing: LedgerStanding, languages: [String], mirror: PreferenceMirror?,
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.ledger = ledger
        self.languages = languages
        self.mirror = mirror
        self.now = now
        endWatch = EndWatch(now: now, sleep: sleep)
        var entitlements = EntitlementSnapshot(catalog: nil, standing: standing, at: now())
        entitlements.isIncomplete = entitlements.loss != nil
        current = Mutex(Snapshot(entitlements: entitlements))
        watch(entitlements)
    }

    func stop() {
        endWatch.stop()
        events.finish()
    }

    private func watch(_ entitlements: EntitlementSnapshot) {
        endWatch.wait(for: entitlements.nextEnd) { [weak self] in
            guard let self else { return }
            watch(snapshot.entitlements)
        }
    }

    /// What is known, with what has ended by now left out.
    var snapshot: Snapshot {
        let now = now()
        let (snapshot, ended) = current.withLock { snapshot in
            let ended = snapshot.entitlements.advance(to: now)
            if !ended.noLongerOwned.isEmpty { snapshot.merge(languages: languages) }
            return (snapshot, ended)
        }
        if !ended.noLongerOwned.isEmpty { tell(ended, snapshot) }
        return snapshot
    }

    func set(_ status: LoadingStatus) {
        current.withLock { $0.status = status }
        events.send(.statusChanged(status))
    }

    func set(_ catalog: Catalog, availableContent: Set<String>) {
        events.send(.listUpdated(catalog))
        change { entitlements in
            entitlements = entitlements.with(catalog: catalog)
        } also: { snapshot in
            snapshot.availableContent = availableContent
        }
    }

    /// What the store knows has been read again after an earlier ledger was lost.
    func setComplete() { change { $0.isIncomplete = false } }

    private func change(
        _ body: (inout EntitlementSnapshot) -> Void, also other: (inout Snapshot) -> Void = { _ in }
    ) {
        let (snapshot, changed) = current.withLock { snapshot in
            let before = snapshot.entitlements.owned
            body(&snapshot.entitlements)
            other(&snapshot)
            snapshot.merge(languages: languages)
            let after = snapshot.entitlements.owned
            var changed = EntitlementSnapshot.Changes()
            changed.newlyOwned = after.filter(Set(after).subtracting(before).contains)
            changed.noLongerOwned = before.filter(Set(before).subtracting(after).contains)
            return (snapshot, changed)
        }
        tell(changed, snapshot)
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

    /// Writes everything into the app's preferences, and from now on each change.
    func beginMirroring() {
        isMirroring.withLock { $0 = true }
        mirrorLock.withLock { mirror?.writeAll(current.withLock { $0.entitlements }) }
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
        let (snapshot, changes) = try current.withLock { snapshot throws(LedgerError) in
            // Another call may have applied some of them meanwhile; those are skipped.
            let changes = try snapshot.entitlements.apply(entries)
            snapshot.merge(languages: languages)
            return (snapshot, changes)
        }
        follow(changes)
        return Self.events(for: changes, snapshot)
    }

    private func tell(_ changes: EntitlementSnapshot.Changes, _ snapshot: Snapshot) {
        follow(changes)
        for event in Self.events(for: changes, snapshot) { events.send(event) }
    }

    /// What follows from changes beside the events, for which what is known by now counts: somebody may have been
    /// faster.
    private func follow(_ changes: EntitlementSnapshot.Changes) {
        watch(current.withLock { $0.entitlements })
        guard let mirror, isMirroring.withLock({ $0 }) else { return }
        mirrorLock.withLock { mirror.write(changes) { current.withLock { $0.entitlements } } }
    }

    private static func events(for changes: EntitlementSnapshot.Changes, _ snapshot: Snapshot) -> [CatalogEvent] {
        let ownership = changes.newlyOwned + changes.noLongerOwned
        return (changes.appPurchase.map { [.originalPurchaseKnown($0.original)] } ?? [])
            + (changes.isLossChanged ? [.ledgerLossChanged(snapshot.entitlements.loss)] : [])
            + (ownership.isEmpty ? [] : [.ownershipChanged(ownership)])
            + changes.wallets.map { .walletChanged($0, balance: snapshot.entitlements.balance(of: $0)) }
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
        lazyListing = LazyListing { [storeAnswer, availableContent, entitlements] in
            ListingMerge(
                catalog: catalog, storeAnswer: storeAnswer, availableContent: availableContent,
                entitlements: entitlements, languages: languages
            ).listing()
        }
    }
}
