internal import Entitlements
internal import Foundation
internal import Locking
internal import ProductCatalog
internal import Purchasing

/// What is known at the moment, readable by anybody at any time, and the events that tell how it changes.
final class ManagerState: Sendable {
    struct Snapshot: Sendable {
        var status = LoadingStatus.productsLoading
        var storeAnswer: StoreAnswer?
        /// The products whose hosted content can be had.
        var availableContent: Set<String> = []
        var entitlements: EntitlementSnapshot
        var loadedCatalog: LoadedCatalog?
        /// Why nothing new is sold from the catalog now; `nil` where it is.
        fileprivate(set) var sellingObstacle: String?
        var lazyListing = LazyListing { [] }

        var listing: [ProductListing] { lazyListing.products }

        var catalog: Catalog? { entitlements.catalog }

        /// The identifiers of the catalog that the store did not know when it was asked last.
        var invalidIdentifiers: [String] {
            guard let catalog, let storeAnswer else { return [] }
            return storeAnswer.asked.filter { storeAnswer.products[$0] == nil && catalog[$0] != nil }
        }
    }

    let events = EventSource()
    private let ledger: any Ledger
    private let languages: [String]
    private let mirror: PreferenceMirror?
    private let now: @Sendable () -> Date
    private let current: Locked<Snapshot>
    private let isMirroring = Locked(false)
    /// Whoever listens to the preferences may come back while they are written.
    private let mirrorLock = NSRecursiveLock()
    /// Due when something that is owned ends, so that it is told then, whether or not anybody asks.
    private let endAlarm: Alarm

    /// - Parameters:
    ///   - standing: What the ledger has: ownership is known before anything is loaded.
    ///   - storeAnswer: What the store said last, as far as that was kept.
    init(
        ledger: any Ledger, standing: LedgerStanding, storeAnswer: StoreAnswer?, languages: [String],
        mirror: PreferenceMirror?,
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.ledger = ledger
        self.languages = languages
        self.mirror = mirror
        self.now = now
        endAlarm = Alarm(now: now, sleep: sleep)
        var entitlements = EntitlementSnapshot(catalog: nil, standing: standing, at: now())
        entitlements.isIncomplete = entitlements.loss != nil
        current = Locked(Snapshot(storeAnswer: storeAnswer, entitlements: entitlements))
        watch(entitlements)
    }

    func stop() {
        endAlarm.stop()
        events.finish()
    }

    private func watch(_ entitlements: EntitlementSnapshot) {
        endAlarm.set(to: entitlements.nextEnd) { [weak self] in
            guard let self else { return }
            watch(snapshot.entitlements)
        }
    }

    /// What is known, with what has ended by now left out.
    var snapshot: Snapshot {
        let now = now()
        let (snapshot, ended) = current.withLock { snapshot in
            let ended = snapshot.entitlements.advance(to: now)
            if !ended.noLongerOwned.isEmpty || snapshot.sellingObstacle != snapshot.obstacleNow {
                snapshot.merge(languages: languages)
            }
            return (snapshot, ended)
        }
        if !ended.noLongerOwned.isEmpty { tell(ended, snapshot) }
        return snapshot
    }

    func set(_ status: LoadingStatus) {
        current.withLock { $0.status = status }
        events.send(.statusChanged(status))
    }

    func set(_ loaded: LoadedCatalog, availableContent: Set<String>) {
        let isSame = current.withLock { $0.loadedCatalog?.reading == loaded.reading }
        if !isSame { events.send(.listUpdated(loaded.catalog)) }
        change { entitlements in
            if !isSame { entitlements = entitlements.with(catalog: loaded.catalog) }
        } also: { snapshot in
            snapshot.loadedCatalog = loaded
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
            snapshot.merge(languages: languages)
            return snapshot.invalidIdentifiers
        }
        events.send(.productsUpdated(invalidIdentifiers: invalidIdentifiers))
    }

    /// What the store said counts no more, and nothing has taken its place.
    func forgetStoreAnswer() {
        current.withLock { snapshot in
            snapshot.storeAnswer = nil
            snapshot.merge(languages: languages)
        }
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

extension ManagerState.Snapshot {
    fileprivate mutating func merge(languages: [String]) {
        guard let catalog else { return }
        sellingObstacle = obstacleNow
        lazyListing = LazyListing { [storeAnswer, availableContent, entitlements, sellingObstacle] in
            ListingMerge(
                catalog: catalog, storeAnswer: storeAnswer, availableContent: availableContent,
                entitlements: entitlements, sellingObstacle: sellingObstacle, languages: languages
            ).listing()
        }
    }

    fileprivate var obstacleNow: String? {
        guard let loadedCatalog else { return nil }
        if let obstacle = loadedCatalog.sellingObstacle { return obstacle }
        guard let end = loadedCatalog.goodUntil, end <= entitlements.date else { return nil }
        return "its signature was good until \(end.formatted(.iso8601))"
    }
}
