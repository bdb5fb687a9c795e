public import CatalogLoading
internal import Entitlements
internal import HostedContent
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
    /// Reads the catalog, delivers what had to wait for it, finds out what is owned because of how the customer first
    /// got the app, and asks the store about the products.
    ///
    /// Whatever fails, what was known before stays. A call while one is under way waits for that one. Content that an
    /// unfinished purchase needs comes meanwhile and afterwards, and is not waited for: events tell of it, and
    /// ``deliverUnfinished()`` waits.
    ///
    /// - Returns: The status that it came to.
    @discardableResult
    public func loadProducts() async -> LoadingStatus { await load(byItself: false) }

    /// - Parameter byItself: Nobody has asked for it now: a server that has named a time is not asked before that, and
    ///   after ``stop()`` nothing is loaded.
    @discardableResult
    func load(byItself: Bool) async -> LoadingStatus {
        guard !byItself || !isStopped else { return state.snapshot.status }
        if let loading {
            let ended = await loading.value
            // Who asks for it now wants the server to be asked.
            guard !byItself, ended.isServerSpared else { return ended.status }
            return await load(byItself: false)
        }
        loadingBegins(byItself: byItself)
        let task = Task {
            let status = await load()
            let isServerSpared = record.isServerSpared
            loading = nil
            await loadingEnded(status)
            if !Task.isCancelled { fetchImages() }
            if status == .productsLoaded, options.buysPromoted { await buyPromoted() }
            return (status: status, isServerSpared: isServerSpared)
        }
        loading = task
        return await task.value.status
    }

    private func load() async -> LoadingStatus {
        state.set(.productsLoading)
        let isContentUsable = prepareContentDirectory()
        let kept = state.snapshot.catalog == nil ? await loader.kept() : nil
        if let kept {
            list(kept, isContentUsable: isContentUsable, isProvisional: true)
            await takeUpDownloads()
            // What the app's own property list says a product is worth may be long past: the server is asked first.
            if kept.origin == .cache { await deliver(awaitingContent: false) }
        }
        let loaded: LoadedCatalog
        do {
            loaded = try await loadCatalog()
        } catch {
            state.tell(.loading(.catalogFailed(error)))
            // Refunds, and consumables that are in the ledger already, can be finished without a catalog.
            await deliver(awaitingContent: false)
            return .listLoadFailed
        }
        guard !Task.isCancelled else { return .listLoadFailed }
        let used = better(than: loaded) ?? loaded
        if used.reading == kept?.reading {
            state.set(used, isProvisional: false)
        } else {
            list(used, isContentUsable: isContentUsable)
        }
        await takeUpDownloads()
        if used.reading != kept?.reading || used.origin != .cache { await deliver(awaitingContent: false) }
        if let failure = loaded.failure { state.tell(.loading(.catalogNotRefreshed(failure, using: used))) }
        if let failure = loaded.cacheFailure { state.tell(.loading(.cacheFailed(failure))) }
        guard !Task.isCancelled else { return .productsLoadFailed }
        await rebuildAfterLoss()
        await grandfathering.decide(await takeInReceipt())
        guard !Task.isCancelled else { return .productsLoadFailed }
        let hasAnswered = await askStore(for: used.catalog)
        guard !Task.isCancelled else { return .productsLoadFailed }
        if hasAnswered { await removeDownloadsOfOthers() }
        if options.updatesContent { await updateContent() }
        await recordOpeningFacts(isCatalogCurrent: loaded.failure == nil, hasStoreAnswered: hasAnswered)
        return hasAnswered ? .productsLoaded : .productsLoadFailed
    }

    /// Lists what a catalog has.
    private func list(_ loaded: LoadedCatalog, isContentUsable: Bool, isProvisional: Bool = false) {
        let available = isContentUsable ? availableContent(in: loaded.catalog) : []
        let before = state.snapshot.circumstances.installedContent
        let installed = isContentUsable ? installedContent(in: loaded.catalog) : [:]
        state.set(loaded, isProvisional: isProvisional) { circumstances in
            circumstances.availableContent = available
            circumstances.takeIn(installed: installed, before: before)
        }
        if state.snapshot.status != .listLoaded { state.set(.listLoaded) }
    }

    /// What came from the server earlier and is still in memory is better than the app's own property list, where the
    /// server cannot be asked and the cache is gone. It is not where the server's signature is not good any more.
    ///
    /// - Returns: `nil` where nothing better is in memory.
    private func better(than loaded: LoadedCatalog) -> LoadedCatalog? {
        guard case .file = loaded.origin, loaded.cacheFailure == nil,
            let failure = loaded.failure, failure.code != .signature,
            let present = state.snapshot.loadedCatalog, present.origin == .remote || present.origin == .cache
        else { return nil }
        return present
    }

    /// Forgets the catalog that was downloaded, and loads anew. What is known stays until that has come to something.
    ///
    /// - Returns: The status that it came to.
    @discardableResult
    public func deleteCache() async -> LoadingStatus {
        do {
            try await loader.deleteCache()
        } catch {
            state.tell(.loading(.cacheFailed(error)))
        }
        // What is under way may have begun with what is deleted now.
        if let loading { _ = await loading.value }
        return await loadProducts()
    }

    /// What is known of the catalog without asking anybody: for a look from outside.
    public func catalogStatus() async -> CatalogStatus { await loader.status() }

    private func recordOpeningFacts(isCatalogCurrent: Bool, hasStoreAnswered: Bool) async {
        let snapshot = state.snapshot
        let isLookedAt = await openingFacts.record(
            options.predecessors, mirrors: options.mirror != nil,
            isCatalogCurrent: isCatalogCurrent && snapshot.sellingObstacle == nil,
            storeAnswer: hasStoreAnswered ? snapshot.storeAnswer : nil)
        if isLookedAt { state.beginMirroring() }
    }

    /// Reads what the store knows into a ledger that took the place of one that was lost.
    private func rebuildAfterLoss() async {
        guard state.snapshot.entitlements.isIncomplete else { return }
        do {
            let result = try await queue.rebuild()
            if result.failed.allSatisfy({ !$0.reason.mayBeAnotherNextTime }) { state.setComplete() }
            state.tell(.ledger(.rebuilt(result)))
        } catch {
            state.tell(.loading(.unfinishedTransactionsFailed(error)))
        }
    }

    /// - Returns: Whether content can be installed there.
    private func prepareContentDirectory() -> Bool {
        do {
            if let gap = try content.directory.prepareIfPresent() { state.tell(.content(.mayBeBackedUp(gap))) }
            return true
        } catch {
            state.tell(.content(.failed(error)))
            return false
        }
    }

    private func availableContent(in catalog: Catalog) -> Set<String> {
        do {
            return try content.availableProducts(in: catalog)
        } catch {
            state.tell(.content(.failed(error)))
            return []
        }
    }

    private func installedContent(in catalog: Catalog) -> [String: InstalledContent] {
        do {
            return try content.installedContent(in: catalog)
        } catch {
            state.tell(.content(.failed(error)))
            return [:]
        }
    }

    /// Takes in what other processes have recorded, and delivers each transaction that the store still holds. What goes
    /// wrong is told by events, and tried again the next time.
    ///
    /// It waits for the content of what needs some, which may take long. ``loadProducts()`` and ``enterForeground()``
    /// deliver as well, and do not wait for that.
    public func deliverUnfinished() async { await deliver(awaitingContent: true) }

    func deliver(awaitingContent: Bool) async {
        await state.refreshOrReport()
        await content.downloads.retryHeld()
        do {
            if awaitingContent { try await queue.drain() } else { try await queue.drainUpToContent() }
        } catch {
            state.tell(.loading(.unfinishedTransactionsFailed(error)))
        }
    }

    /// Waits for the content that was being got for purchases, until it is there or cannot be had now.
    package func contentSettled() async { await queue.contentSettled() }
}

extension RestoreResult.FailureReason {
    /// Something could not be looked at: that it is not owned does not follow.
    fileprivate var mayBeAnotherNextTime: Bool {
        switch self {
        case .waiting(.verification), .waiting(.ledger), .waiting(.catalogNotLoaded): true
        default: false
        }
    }
}
