internal import CatalogLoading
public import Foundation
internal import ProductCatalog

extension CatalogManager {
    /// When products are loaded again by themselves; `nil` where that is not planned, or they are being loaded.
    ///
    /// After a load in which the server's catalog could not be had, or the store could not be asked, that is by the
    /// schedule of ``ManagerOptions``, but no sooner than the server has asked for, and that for an hour at most. After
    /// another load it is by ``ManagerOptions/refreshInterval``. It is not later than when nothing new is sold any more
    /// from a signed catalog: `LoadedCatalog.goodUntil`. ``loadProducts()`` loads at once.
    public nonisolated var nextLoad: Date? { loadAlarm.date }

    /// For the app's return to the foreground: finds out whether purchases are allowed on the device, delivers what the
    /// store still holds, without waiting for content, and loads products again, if they were loaded before and something
    /// could not be had then, the catalog is older than its `cacheDays`, or what the store said is older than the refresh
    /// interval, or than an hour where there is none. After ``stop()`` it does nothing.
    public func enterForeground() async {
        guard !isStopped else { return }
        state.set(paymentRestriction: await store.paymentRestriction())
        guard !isStopped else { return }
        await deliver(awaitingContent: false)
        guard !isStopped, loading == nil, record.catalog != nil else { return }
        if await isRefreshDue { await load(byItself: true) }
    }

    private var isRefreshDue: Bool {
        get async {
            if record.failure != nil { return true }
            guard await loader.status().isFresh else { return true }
            let snapshot = state.snapshot
            return snapshot.catalog?.products.isEmpty == false && !schedule.isFresh(snapshot.storeAnswer, at: now())
        }
    }

    /// The network may be back, or another one: what could not be had, or had to wait, is tried again at once.
    func networkMayBeBack() async {
        await content.downloads.retryHeld()
        record.networkMayBeBack()
        guard loading == nil, record.failure != nil else { return }
        await load(byItself: true)
    }

    // MARK: Around a load

    func loadingBegins(byItself: Bool) {
        loadAlarm.set(to: nil) {}
        record.begin(byItself: byItself)
        state.loadingBegins()
        for event in untoldEvents { state.tell(event) }
        untoldEvents = []
    }

    /// Whoever hears the status finds out by then what comes next.
    func loadingEnded(_ status: LoadingStatus) async {
        record.end()
        let failure = record.failure ?? record.localFailure
        guard !Task.isCancelled else { return state.loadingEnded(status, failure) }
        let next = schedule.nextLoad(after: record, goodUntil: state.snapshot.loadedCatalog?.goodUntil, at: now())
        loadAlarm.set(to: next) { [weak self] in await self?.load(byItself: true) }
        state.loadingEnded(status, failure)
        if let next, let failure = record.failure { state.tell(.loading(.retryScheduled(at: next, because: failure))) }
        await noteNextAttempt(at: loadAlarm.date)
    }

    /// Nobody loads again by themselves from now on, and what is under way comes to its end.
    func stopLoading() async {
        let wasPlanned = loadAlarm.date != nil
        loadAlarm.stop()
        loading?.cancel()
        _ = await loading?.value
        guard wasPlanned else { return }
        await noteNextAttempt(at: record.retryDate(after: now()))
    }

    /// Writes down when the server is asked next, for whoever looks from outside.
    private func noteNextAttempt(at date: Date?) async {
        guard record.isRemote else { return }
        do {
            try await loader.noteNextAttempt(at: date)
        } catch {
            state.tell(.loading(.cacheFailed(error)))
        }
    }

    /// The best catalog that can be had. In a load that nobody has asked for, a server that does not want to be asked yet
    /// is not asked: it is what the last load came to.
    func loadCatalog() async throws(CatalogError) -> LoadedCatalog {
        if let spared = record.sparedCatalog(at: now()) { return try spared.get() }
        do {
            let loaded = try await loader.load()
            record.take(.success(loaded), at: now())
            return loaded
        } catch {
            record.take(.failure(error), at: now())
            throw error
        }
    }
}
