internal import CatalogLoading
internal import Entitlements
internal import FileSystem
internal import Foundation
internal import ProductCatalog
internal import Purchasing

/// What is known at the moment, readable by anybody at any time, and the events that tell how it changes.
final class ManagerState: Sendable {
    /// What is shown otherwise after a change.
    private enum Affected {
        /// These products, and those that have to do with them.
        case products(Set<String>)
        case everything
    }

    let events = EventSource()
    private let ledger: any Ledger
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
        bundledImages: BundledImages, appVersion: VersionNumber?, mirror: PreferenceMirror?,
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.ledger = ledger
        self.mirror = mirror
        self.now = now
        endAlarm = Alarm(now: now, sleep: sleep)
        var entitlements = EntitlementSnapshot(catalog: nil, standing: standing, at: now())
        entitlements.isIncomplete = entitlements.loss != nil
        var snapshot = Snapshot(
            entitlements: entitlements,
            shown: ListingState(answer: storeAnswer, languages: languages, bundledImages: bundledImages))
        snapshot.circumstances.appVersion = appVersion
        current = Locked(snapshot)
        watchForEnd()
    }

    func stop() {
        endAlarm.stop()
        events.finish()
    }

    /// Whoever sets the alarm last has looked afterwards whether it is right: another change may have come in between.
    private func watchForEnd() {
        var end: Date?
        repeat {
            end = current.withLock { $0.entitlements.nextEnd }
            endAlarm.set(to: end) { [weak self] in
                guard let self else { return }
                _ = snapshot
                watchForEnd()
            }
        } while current.withLock({ $0.entitlements.nextEnd }) != end
    }

    /// What is known, with what has ended by now left out.
    var snapshot: Snapshot {
        let now = now()
        let (snapshot, ended) = current.withLock { snapshot in
            let ended = snapshot.entitlements.advance(to: now)
            update(&snapshot, .products(ended.products)) { ended.events(in: $0) }
            return (snapshot, ended)
        }
        follow(ended)
        return snapshot
    }

    // MARK: Changes

    /// Brings the listing up to date, and tells what has changed. That happens in the moment of the change: events come in
    /// the order of the changes.
    private func update(
        _ snapshot: inout Snapshot, _ affected: Affected, telling happenings: (Snapshot) -> [CatalogEvent] = { _ in [] }
    ) {
        let obstacle = snapshot.obstacleNow
        let isSaleAffected = obstacle != snapshot.circumstances.sellingObstacle
        snapshot.circumstances.sellingObstacle = obstacle
        let changed =
            switch affected {
            case .products(let products) where !isSaleAffected:
                snapshot.shown.list(products, snapshot.entitlements, snapshot.circumstances)
            case .products, .everything: snapshot.shown.listAnew(snapshot.entitlements, snapshot.circumstances)
            }
        for event in happenings(snapshot) { events.send(event) }
        if !changed.isEmpty { events.send(.listingChanged(changed)) }
    }

    func set(_ status: LoadingStatus) {
        current.withLock { snapshot in
            snapshot.status = status
            events.send(.loading(.statusChanged(status)))
        }
    }

    func loadingBegins() { current.withLock { $0.isLoading = true } }

    /// - Parameter failure: Why something could not be had; `nil` where nothing went wrong.
    func loadingEnded(_ status: LoadingStatus, _ failure: LoadFailure?) {
        current.withLock { snapshot in
            (snapshot.isLoading, snapshot.loadFailure) = (false, failure)
            snapshot.status = status
            events.send(.loading(.statusChanged(status)))
        }
    }

    /// - Parameters:
    ///   - isProvisional: It was on the device, and something better has not been looked for yet.
    ///   - circumstances: Sets what of them is known with the catalog.
    func set(
        _ loaded: LoadedCatalog, isProvisional: Bool, circumstances: (inout ListingCircumstances) -> Void = { _ in }
    ) {
        changeEntitlements { snapshot in
            snapshot.isCatalogProvisional = isProvisional
            circumstances(&snapshot.circumstances)
            let isSame = snapshot.loadedCatalog?.reading == loaded.reading
            snapshot.loadedCatalog = loaded
            guard !isSame else { return }
            events.send(.loading(.catalogUpdated(loaded.catalog)))
            snapshot.entitlements = snapshot.entitlements.with(catalog: loaded.catalog)
            snapshot.shown.stock(ListedCatalog(loaded.catalog))
        }
    }

    /// Who has to have signed a manifest that the catalog has no digest of; `nil` for nobody.
    var contentSigners: ContentSigners? {
        guard let loaded = snapshot.loadedCatalog else { return .none(because: "no catalog is loaded") }
        return loaded.contentSigners
    }

    /// What the store knows has been read again after an earlier ledger was lost.
    func setComplete() { changeEntitlements { $0.entitlements.isIncomplete = false } }

    /// Changes what the ownership of any product may follow from.
    private func changeEntitlements(_ body: (inout Snapshot) -> Void) {
        let changed = current.withLock { snapshot in
            let before = snapshot.entitlements.owned
            body(&snapshot)
            let after = snapshot.entitlements.owned
            var changed = EntitlementSnapshot.Changes()
            changed.newlyOwned = after.filter(Set(after).subtracting(before).contains)
            changed.noLongerOwned = before.filter(Set(before).subtracting(after).contains)
            update(&snapshot, .everything) { [changed] in changed.events(in: $0) }
            return changed
        }
        follow(changed)
    }

    /// - Parameter isNew: The store has said it just now, which is told.
    func set(_ answer: StoreAnswer, isNew: Bool) {
        current.withLock { snapshot in
            snapshot.shown.set(answer)
            update(&snapshot, .everything) {
                isNew ? [.loading(.productsUpdated(invalidIdentifiers: $0.invalidIdentifiers))] : []
            }
        }
    }

    /// What the store said counts no more, and nothing has taken its place.
    func forgetStoreAnswer() {
        current.withLock { snapshot in
            snapshot.shown.set(nil)
            update(&snapshot, .everything)
        }
    }

    /// - Parameter restriction: Why nothing can be bought on this device; `nil` where it can.
    func set(paymentRestriction restriction: String?) {
        current.withLock { snapshot in
            guard snapshot.circumstances.paymentRestriction != restriction else { return }
            snapshot.circumstances.paymentRestriction = restriction
            update(&snapshot, .everything)
        }
    }

    /// - Parameter images: The files with remote images, by their addresses.
    func show(images: [String: URL]) {
        current.withLock { snapshot in
            let new = images.filter { snapshot.circumstances.fetchedImages[$0.key] != $0.value }
            guard !new.isEmpty, let catalog = snapshot.catalog else { return }
            snapshot.circumstances.fetchedImages.merge(new) { $1 }
            let shown = catalog.products.filter { product in
                [product.productIcon, product.featuredImage].contains { $0.map { new[$0] != nil } ?? false }
            }
            update(&snapshot, .products(Set(shown.map(\.identifier))))
        }
    }

    /// A purchase has begun, which ``CatalogEvent/purchaseAnswered(_:_:)`` ends.
    func beginPurchase(of identifier: String) {
        current.withLock { snapshot in
            snapshot.circumstances.purchases.begin(identifier)
            update(&snapshot, .products([identifier]))
        }
    }

    /// Tells something, and takes in what follows from it for what is shown.
    func tell(_ event: CatalogEvent) {
        current.withLock { snapshot in
            update(&snapshot, .products(snapshot.circumstances.take(event))) { _ in [event] }
        }
    }

    /// Writes everything into the app's preferences, and from now on each change.
    func beginMirroring() {
        isMirroring.withLock { $0 = true }
        mirrorLock.withLock { mirror?.writeAll(current.withLock { $0.entitlements }) }
    }

    /// Takes in what the ledger has, whoever wrote it.
    func refresh() async throws(LedgerError) { try await takeInEntries() }

    /// Takes in what the ledger has, where nobody can do anything about it if that fails: an event tells.
    func refreshOrReport() async {
        do {
            try await refresh()
        } catch {
            events.send(.ledger(.failed(error)))
        }
    }

    /// Tells a step of a transaction. What it recorded is taken in before anybody hears of it.
    func announce(_ step: TransactionStep) async {
        switch step {
        case .recorded, .revoked: break
        default: return tell(.transaction(step))
        }
        do {
            try await takeInEntries(after: .transaction(step))
        } catch {
            tell(.transaction(step))
            events.send(.ledger(.failed(error)))
        }
    }

    /// - Parameter event: What is told before the changes.
    private func takeInEntries(after event: CatalogEvent? = nil) async throws(LedgerError) {
        let entries = try await ledger.entries(after: snapshot.entitlements.lastSequence)
        let changes = try current.withLock { snapshot throws(LedgerError) in
            let (unknownReason, hadRevocations) = (
                snapshot.entitlements.unknownReason, snapshot.entitlements.hasRevocations
            )
            // Another call may have applied some of them meanwhile; those are skipped.
            let changes = try snapshot.entitlements.apply(entries)
            let products = changes.products.union(event.map { snapshot.circumstances.take($0) } ?? [])
            let mayBeAny =
                changes.appPurchase != nil || changes.isLossChanged
                || snapshot.entitlements.unknownReason != unknownReason
                // What may be one of the products that were taken back is not given out from the first of them on.
                || snapshot.entitlements.hasRevocations != hadRevocations
            update(&snapshot, mayBeAny ? .everything : .products(products)) { snapshot in
                (event.map { [$0] } ?? []) + changes.events(in: snapshot)
            }
            return changes
        }
        follow(changes)
    }

    /// What follows from changes beside the events, for which what is known by now counts: somebody may have been
    /// faster.
    private func follow(_ changes: EntitlementSnapshot.Changes) {
        guard changes != EntitlementSnapshot.Changes() else { return }
        watchForEnd()
        guard let mirror, isMirroring.withLock({ $0 }) else { return }
        mirrorLock.withLock { mirror.write(changes) { current.withLock { $0.entitlements } } }
    }
}
