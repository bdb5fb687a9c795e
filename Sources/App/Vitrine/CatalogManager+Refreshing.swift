internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading

extension CatalogManager {
    /// Updates the manager when the app returns to the foreground: ends entitlements that have expired, checks whether
    /// purchases are allowed on the device, and delivers the transactions that the store still holds, without waiting
    /// for content. If products were loaded before, loads them again if part of the last load failed, the catalog is
    /// older than its `cacheDays`, or the store's response is older than the refresh interval (an hour if no interval
    /// is set). Does nothing after ``stop()``. Hooks of the app are waited for only within
    /// ``ManagerOptions/Purchases/hookLimit``, and a call within a hook is only begun.
    public func enterForeground() async { await unlessWithinHook { await $0.refreshInForeground() } }

    private func refreshInForeground() async {
        guard !isStopped else { return }
        state.followClock()
        callVerifications.forgetExpiredRequests()
        state.set(paymentRestriction: await store.paymentRestriction())
        guard !isStopped else { return }
        await followAccount()
        await deliver(awaitingContent: false)
        guard !isStopped, loading == nil, record.catalog != nil else { return }
        // A load asks about subscriptions too.
        if await isRefreshDue { await load(byItself: true) } else { await askAboutSubscriptions() }
    }

    private var isRefreshDue: Bool {
        get async {
            if record.failure != nil || record.contradictions.isRequestDue(at: now()) { return true }
            guard await loader.status().isFresh else { return true }
            let snapshot = state.snapshot
            return snapshot.catalog?.products.isEmpty == false && !schedule.isFresh(snapshot.storeSnapshot, at: now())
        }
    }

    /// Retries at once the downloads and loads that failed or had to wait, because the network may have become
    /// available or changed.
    func networkMayBeBack() async {
        await ownedContent.retryHeldDownloads()
        record.networkMayBeBack()
        guard loading == nil else { return }
        if record.failure != nil {
            await load(byItself: true)
        } else if state.snapshot.subscriptions.contains(where: \.needsConfirmation) {
            await followAccount()
            await askAboutSubscriptions()
        }
    }

    // MARK: Beginning and end of a load

    func loadingBegins(byItself: Bool) {
        loadAlarm.set(to: nil) {}
        record.begin(byItself: byItself)
        state.loadingBegins()
        for event in unsentEvents { state.send(event) }
        unsentEvents = []
    }

    /// Ends a load. The next load is scheduled before the status is published, so that listeners to the status can
    /// already read the date of the next load.
    func loadingEnded(_ status: LoadingStatus) async {
        record.end()
        let failure = record.failure ?? record.localFailure
        guard !Task.isCancelled else { return state.loadingEnded(status, failure) }
        let next = planNextLoad()
        state.loadingEnded(status, failure)
        if next != nil, status != .productsLoaded { state.waitsForRetry() }
        // Stored first: a tool that reads the date after the event has to find it.
        await noteNextAttempt(at: loadAlarm.date)
        guard let next, let failure = record.failure, !Task.isCancelled else { return }
        state.send(.loading(.retryScheduled(at: next, because: failure)))
    }

    /// Schedules the next automatic load of products.
    ///
    /// - Returns: Its date; `nil` if none is scheduled.
    @discardableResult
    func planNextLoad() -> Date? {
        let goodUntil = state.snapshot.loadedCatalog?.goodUntil
        let next = schedule.nextLoad(after: record, goodUntil: goodUntil, at: now())
        // The date until which a catalog is good depends on the app's clock; a retry waits for real time to pass.
        loadAlarm.set(to: next, on: next == goodUntil ? options.clock : nil) { [weak self] in
            await self?.load(byItself: true)
        }
        return next
    }

    /// Stops automatic loads, and cancels and awaits the load in progress. A call within a hook of the app does not
    /// await the load.
    func stopLoading() async {
        let wasPlanned = loadAlarm.date != nil
        loadAlarm.stop()
        loading?.cancel()
        if !hookCalls.isInside { _ = await loading?.value }
        state.stopsWaitingForRetry()
        guard wasPlanned else { return }
        await noteNextAttempt(at: record.retryDate(after: now()))
    }

    /// Stores the date of the next request to the catalog's server, so that tools can read it from the storage
    /// directory.
    private func noteNextAttempt(at date: Date?) async {
        guard record.isRemote else { return }
        do {
            try await loader.noteNextAttempt(at: date)
        } catch {
            state.send(.loading(.cacheFailed(error)))
        }
    }

    /// Returns the best available catalog. While the server has asked to wait, an automatic load sends no request, and
    /// uses the result of the last load instead.
    func loadCatalog() async throws(CatalogError) -> LoadedCatalog {
        if let spared = record.backedOffCatalog(at: now()) { return try spared.get() }
        record.contradictions.removeAll(except: { ownedContent.wanted($0) != nil })
        let isContradicted = !record.contradictions.isEmpty
        if isContradicted { record.contradictions.requested(at: now(), on: schedule.retries) }
        do {
            let loaded = try await loader.load(asksServer: isContradicted)
            record.apply(.success(loaded), at: now())
            return loaded
        } catch {
            record.apply(.failure(error), at: now())
            throw error
        }
    }
}

extension CustomerSubscription {
    /// `true` if the store has not yet confirmed whether the subscription continues.
    fileprivate var needsConfirmation: Bool { state == .unconfirmed || state == .unknown }
}
