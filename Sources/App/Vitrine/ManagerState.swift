internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineSupport

/// Current state of a manager, readable from any context at any time, and the events that report its changes.
final class ManagerState: Sendable {
    /// Part of the listing that has to be updated after a change.
    private enum Affected {
        /// Affected products, the products that they contain, and the bundles that contain any of them.
        case products(Set<String>)
        case everything
    }

    let events = EventSource()
    /// Stream of the customer's requests for approval of purchases after each change, as dates by product. An element
    /// that is not read is replaced by the next.
    let approvals = AsyncStream<[String: Date]>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// Stream of the store's last answer about subscriptions, after each change that is to be stored. An element that
    /// is not read is replaced by the next.
    let subscriptionChecks = AsyncStream<SubscriptionCheck>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// Stream of the App Store account after each change. An element that is not read is replaced by the next.
    let accountChanges = AsyncStream<LedgerAccount>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// Stream with an element each time another App Store account has replaced the former one in the same ledger.
    let replacedAccounts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// App Store account that verified data of the store has named last; `nil` while none is known.
    let knownAccount: Locked<LedgerAccount?>
    let accounts: AccountPolicy
    private let entitlements: EntitlementStore
    private let mirror: PreferenceMirror?
    private let now: @Sendable () -> Date
    private let current: Locked<Snapshot>
    private let isMirroring = Locked(false)
    /// Lock of the preferences, which is recursive because an observer of the preferences may call back while they are
    /// written.
    private let mirrorLock = NSRecursiveLock()
    /// Alarm for the next end of an entitlement, so that the end is reported even if no caller reads the state.
    private let endAlarm: Alarm
    /// Clock that determines when entitlements end; `nil` for the machine's clock.
    private let clock: ManagerOptions.Clock?

    /// Creates the state of a manager before anything is loaded.
    ///
    /// - Parameters:
    ///   - entitlements: Ownership and balances, known before anything is loaded. The state reports their changes.
    ///   - storeSnapshot: Last store response, if it was stored.
    ///   - account: App Store account of the ledger; `nil` if it is not known.
    init(
        entitlements: EntitlementStore, storeSnapshot: StoreSnapshot?, accounts: AccountPolicy, account: LedgerAccount?,
        languages: [String], bundledImages: BundledImages, appVersion: VersionNumber?, isAppDelivering: Bool,
        mirror: PreferenceMirror?, now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void, clock: ManagerOptions.Clock?
    ) {
        self.entitlements = entitlements
        self.accounts = accounts
        knownAccount = Locked(account)
        self.mirror = mirror
        self.now = now
        endAlarm = Alarm(now: now, sleep: sleep)
        self.clock = clock
        var snapshot = Snapshot(
            entitlements: entitlements.snapshot,
            shown: ListingState(storeSnapshot: storeSnapshot, languages: languages, bundledImages: bundledImages))
        snapshot.context.appVersion = appVersion
        snapshot.context.isAppDelivering = isAppDelivering
        snapshot.context.availableContent = []
        current = Locked(snapshot)
        entitlements.observe(self)
        watchForEnd()
    }

    // A stream does not end by itself when nothing can be added to it any more: the tasks that store its elements would
    // wait, and hold the ledger, for ever.
    deinit { endStoring() }

    /// Ends the streams ``approvals``, ``subscriptionChecks`` and ``accountChanges``, so that later changes are not
    /// stored.
    func endStoring() {
        accountChanges.continuation.finish()
        approvals.continuation.finish()
        subscriptionChecks.continuation.finish()
    }

    /// Stores the store's last answer about subscriptions.
    func storeSubscriptionCheck() {
        subscriptionChecks.continuation.yield(current.withLock { $0.entitlements.check })
    }

    func stop() {
        endAlarm.stop()
        events.finish()
    }

    /// Interval at which the clock is read again, in seconds, because the clock may be set after the alarm was set.
    private static let clockInterval: TimeInterval = 900

    /// Sets the alarm for the next end of an entitlement, or to read the clock again before that. The date is checked
    /// again afterwards, because another change may have been made in between.
    private func watchForEnd() {
        var end: Date?
        repeat {
            let entitlements = current.withLock(\.entitlements)
            end = entitlements.nextEnd
            let due = entitlements.dependsOnDate ? alarmDate(before: end) : nil
            endAlarm.set(to: due, on: clock) { [weak self] in
                self?.followClock()
                self?.watchForEnd()
            }
        } while current.withLock({ $0.entitlements.nextEnd }) != end
    }

    /// Returns the next date at which the clock is read. Calls within one interval return the same date.
    private func alarmDate(before end: Date?) -> Date {
        let intervals = (now().timeIntervalSinceReferenceDate / Self.clockInterval).rounded(.down)
        let next = Date(timeIntervalSinceReferenceDate: (intervals + 1) * Self.clockInterval)
        return end.map { min($0, next) } ?? next
    }

    /// Sets the date of the entitlements to the current date of the clock.
    func followClock() { entitlements.set(date: now()) }

    /// Current state, with the entitlements that are valid now.
    var snapshot: Snapshot {
        followClock()
        return current.withLock { $0 }
    }

    // MARK: Changes

    /// Merges the listings of affected products again after a change of the state, and sends the events of the change.
    /// Called while the state is locked for the change, so that events are sent in the order of the changes.
    private func update(
        _ snapshot: inout Snapshot, _ affected: Affected, telling happenings: (Snapshot) -> [CatalogEvent] = { _ in [] }
    ) {
        snapshot.latestCatalogDate = max(snapshot.latestCatalogDate, snapshot.entitlements.date)
        let obstacle = snapshot.obstacleNow
        let isSaleAffected = obstacle != snapshot.context.sellingObstacle
        snapshot.context.sellingObstacle = obstacle
        let changed =
            switch affected {
            case .products(let products) where !isSaleAffected:
                snapshot.shown.list(products, snapshot.entitlements, snapshot.context)
            case .products, .everything: snapshot.shown.listAll(snapshot.entitlements, snapshot.context)
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

    func loadingBegins() { current.withLock { set(.inProgress, in: &$0) } }

    /// Records that a failed load will be repeated.
    func waitsForRetry() { current.withLock { set(.waitingForRetry, in: &$0) } }

    /// Records that a failed load will not be repeated.
    func stopsWaitingForRetry() {
        current.withLock { if $0.requestStatus == .waitingForRetry { set(.failed, in: &$0) } }
    }

    private func set(_ requestStatus: RequestStatus, in snapshot: inout Snapshot) {
        guard snapshot.requestStatus != requestStatus else { return }
        snapshot.requestStatus = requestStatus
        events.send(.loading(.requestStatusChanged(requestStatus)))
    }

    /// Records the end of a load, and sends the event of the new status.
    ///
    /// - Parameter failure: Reason why part of the load failed; `nil` if nothing failed.
    func loadingEnded(_ status: LoadingStatus, _ failure: LoadFailure?) {
        current.withLock { snapshot in
            snapshot.loadFailure = failure
            snapshot.status = status
            events.send(.loading(.statusChanged(status)))
            set(status == .productsLoaded ? .succeeded : .failed, in: &snapshot)
        }
    }

    /// Replaces the catalog.
    ///
    /// - Parameters:
    ///   - isProvisional: `true` if the catalog was already on the device, and the server's catalog was not requested
    ///     yet.
    ///   - context: A closure that sets the part of the listing context that depends on the catalog.
    func set(
        _ loaded: LoadedCatalog, isProvisional: Bool, context: (inout ListingContext) -> Void = { _ in }
    ) {
        let isSame = current.withLock { $0.loadedCatalog?.reading } == loaded.reading
        entitlements.change { entitlements in
            if !isSame { entitlements = entitlements.with(catalog: loaded.catalog) }
        } observing: { entitlements, changes in
            current.withLock { snapshot in
                snapshot.isCatalogProvisional = isProvisional
                context(&snapshot.context)
                snapshot.loadedCatalog = loaded
                snapshot.latestCatalogDate = entitlements.date
                if !isSame {
                    events.send(.loading(.catalogUpdated(loaded.catalog)))
                    snapshot.shown.rebuild(with: loaded.catalog)
                }
                apply(entitlements, changes, in: &snapshot)
            }
        }
    }

    /// Signers whose signature a manifest of content requires if the catalog contains no digest of the manifest; `nil`
    /// if no signature is required.
    var contentSigners: ContentSigners? {
        guard let loaded = snapshot.loadedCatalog else { return .none(because: "no catalog is loaded") }
        return loaded.contentSigners
    }

    /// Records whether the purchases that the store knows are still to be read into the ledger.
    func set(isIncomplete: Bool) {
        guard entitlements.snapshot.isIncomplete != isIncomplete else { return }
        entitlements.change {
            $0.isIncomplete = isIncomplete
        } observing: {
            entitlementsChange(to: $0, $1)
        }
    }

    /// Replaces the store's response.
    ///
    /// - Parameter isNew: `true` for a response that was just received, which an event reports.
    func set(_ answer: StoreSnapshot, isNew: Bool) {
        current.withLock { snapshot in
            snapshot.shown.set(answer)
            update(&snapshot, .everything) {
                isNew ? [.loading(.productsUpdated(invalidIdentifiers: $0.invalidIdentifiers))] : []
            }
        }
    }

    /// Discards the store's response without a replacement.
    func forgetStoreSnapshot() {
        current.withLock { snapshot in
            snapshot.shown.set(nil)
            update(&snapshot, .everything)
        }
    }

    /// Replaces the reason why purchases are not allowed on this device.
    ///
    /// - Parameter restriction: Reason why nothing can be bought on this device; `nil` if purchases are possible.
    func set(paymentRestriction restriction: String?) {
        current.withLock { snapshot in
            guard snapshot.context.paymentRestriction != restriction else { return }
            snapshot.context.paymentRestriction = restriction
            update(&snapshot, .everything)
        }
    }

    /// Replaces the identifiers of products that were missing in a response of the store without any product.
    func set(unreturned identifiers: [String]) {
        current.withLock { snapshot in
            guard snapshot.context.unreturned != Set(identifiers) else { return }
            snapshot.context.unreturned = Set(identifiers)
            update(&snapshot, .everything)
        }
    }

    /// Shows fetched images in the listings of the products that name them.
    ///
    /// - Parameter images: Files of remote images, by the addresses of the images.
    func show(images: [String: URL]) {
        current.withLock { snapshot in
            let new = images.filter { snapshot.context.fetchedImages[$0.key] != $0.value }
            guard !new.isEmpty, let catalog = snapshot.catalog else { return }
            snapshot.context.fetchedImages.merge(new) { $1 }
            let shown = catalog.products.filter { product in
                [product.productIcon, product.featuredImage].contains { $0.map { new[$0] != nil } ?? false }
            }
            update(&snapshot, .products(Set(shown.map(\.identifier))))
        }
    }

    /// Marks a purchase as begun, until the event ``CatalogEvent/Purchase/answered(_:_:)`` is sent.
    func beginPurchase(of identifier: String) {
        current.withLock { snapshot in
            snapshot.context.purchases.begin(identifier)
            update(&snapshot, .products([identifier]))
        }
    }

    /// Updates the listing according to an event, and sends the event.
    func send(_ event: CatalogEvent) {
        current.withLock { snapshot in
            changeApprovals(&snapshot) { snapshot in
                let affected = snapshot.context.apply(event, at: now())
                update(&snapshot, .products(affected)) { _ in [event] }
            }
        }
    }

    /// Replaces the requests for approval by those that are valid at a date.
    ///
    /// - Parameter stored: Requests of earlier launches; `nil` for the requests of this launch.
    func setApprovals(_ stored: [String: Date]? = nil, validAt date: Date) {
        current.withLock { snapshot in
            changeApprovals(&snapshot) { snapshot in
                let before = snapshot.context.purchases.awaitingApproval
                let valid = PendingApprovals.valid(stored ?? before, at: date)
                    .filter { !snapshot.entitlements.isOwned($0.key) }
                snapshot.context.purchases.awaitingApproval = valid
                update(&snapshot, .products(Set(before.keys).union(valid.keys)))
            }
        }
    }

    /// Replaces the unfinished purchases by the requests for approval of another App Store account that are valid at a
    /// date. Transactions of the former account that are still to be delivered are not shown any more.
    func setPurchases(ofAccountWithApprovals approvals: [String: Date], validAt date: Date) {
        current.withLock { snapshot in
            let products = snapshot.context.purchases.forgetDeliveries()
            update(&snapshot, .products(products))
        }
        setApprovals(approvals, validAt: date)
    }

    /// Calls a closure that changes the state, and sends the requests for approval to ``approvals`` if they differ
    /// afterwards.
    private func changeApprovals(_ snapshot: inout Snapshot, _ body: (inout Snapshot) -> Void) {
        let before = snapshot.context.purchases.awaitingApproval
        body(&snapshot)
        let after = snapshot.context.purchases.awaitingApproval
        if after != before { approvals.continuation.yield(after) }
    }

    /// Writes all balances and ownership to the app's preferences, and from now on each of their changes.
    func beginMirroring() {
        isMirroring.withLock { $0 = true }
        mirrorLock.withLock { mirror?.writeAll { current.withLock { $0.entitlements } } }
    }
}

extension ManagerState {
    /// Applies the new entries of the ledger, including entries of other processes.
    func refresh() async throws(LedgerError) { try await entitlements.refresh() }

    /// Applies the new entries of the ledger, and reports a failure by an event, because the caller cannot handle it.
    func refreshOrReport() async {
        do {
            try await refresh()
        } catch {
            entitlementsNotRefreshed(error)
        }
    }
}

extension ManagerState: EntitlementObserver {
    func entitlementsChange(to entitlements: EntitlementSnapshot, _ changes: EntitlementSnapshot.Changes) {
        current.withLock { apply(entitlements, changes, in: &$0) }
    }

    private func apply(
        _ entitlements: EntitlementSnapshot, _ changes: EntitlementSnapshot.Changes, in snapshot: inout Snapshot
    ) {
        let isCheckChanged = entitlements.check != snapshot.entitlements.check
        snapshot.entitlements = entitlements
        let subscriptions = changes.mayConcernSubscriptions ? snapshot.updateSubscriptions() : []
        update(&snapshot, changes.isAboutAll ? .everything : .products(changes.products)) {
            changes.events(in: $0) + subscriptions.map { .entitlements(.subscriptionChanged($0)) }
        }
        if isCheckChanged { subscriptionChecks.continuation.yield(entitlements.check) }
    }

    /// Sets the alarm and writes the preferences after changes of ownership or balances. The alarm and the preferences
    /// follow the current state, because another change may have been applied already.
    func entitlementsHaveChanged(_ changes: EntitlementSnapshot.Changes) {
        watchForEnd()
        guard let mirror, isMirroring.withLock({ $0 }) else { return }
        mirrorLock.withLock { mirror.write(changes) { current.withLock { $0.entitlements } } }
    }

    func subscriptionsCatchUp(_ subscriptions: Set<String>) {
        current.withLock { $0.catchingUp = subscriptions }
    }

    func subscriptionHasCaughtUp() {
        current.withLock { snapshot in
            for subscription in snapshot.updateSubscriptions() {
                events.send(.entitlements(.subscriptionChanged(subscription)))
            }
        }
    }

    func entitlementsNotRefreshed(_ error: LedgerError) { events.send(.ledger(.failed(error))) }
}
