internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing

extension CatalogManager {
    /// Reads the catalog, delivers the transactions that waited for it, determines ownership that results from the
    /// original purchase of the app, and queries the store about the products.
    ///
    /// If a part of the load fails, its earlier data stays. A call during a load waits for that load. The load does not
    /// wait for the content of unfinished purchases: it is downloaded meanwhile and afterwards, and events report the
    /// result. ``Purchases/deliverUnfinished()`` waits for it. The load waits for hooks of the app only within
    /// ``ManagerOptions/Purchases/hookLimit``; ``Purchases/pending()`` then contains their transactions. Within a hook,
    /// the load begins, or goes on, and is not waited for.
    ///
    /// - Returns: Status at the end of the load; within a hook, the present status.
    @discardableResult
    public func loadProducts() async -> LoadingStatus {
        await unlessWithinHook { await $0.load(byItself: false) } ?? state.snapshot.status
    }

    /// Loads the products, or waits for the load in progress.
    ///
    /// - Parameter byItself: `true` for an automatic load: it sends no request while the server has asked to wait, and
    ///   loads nothing after ``stop()``.
    @discardableResult
    func load(byItself: Bool) async -> LoadingStatus {
        guard !byItself || !isStopped else { return state.snapshot.status }
        if let loading {
            let ended = await loading.value
            // A user-initiated load requires a request to the server.
            guard !byItself, ended.isServerSpared else { return ended.status }
            return await load(byItself: false)
        }
        loadingBegins(byItself: byItself)
        let task = HookCalls.outside {
            Task {
                let status = await load()
                let isServerSpared = record.isServerSpared
                loading = nil
                await loadingEnded(status)
                if !Task.isCancelled { fetchImages() }
                if status == .productsLoaded, options.purchases.buysPromoted { await buyPromotedWithinLimit() }
                return (status: status, isServerSpared: isServerSpared)
            }
        }
        loading = task
        return await task.value.status
    }

    private func load() async -> LoadingStatus {
        state.set(.productsLoading)
        let isContentUsable = prepareContentDirectory()
        let stored = state.snapshot.catalog == nil ? await loader.storedCatalog() : nil
        if let stored {
            list(stored, isContentUsable: isContentUsable, isProvisional: true)
            await resumeDownloads()
            // Product values in the app's own property list may be outdated: the server is requested first.
            if stored.origin == .cache { await deliver(awaitingContent: false) }
        }
        let loaded: LoadedCatalog
        do {
            loaded = try await loadCatalog()
        } catch {
            state.send(.loading(.catalogFailed(error)))
            // Refunds, and consumables that the ledger already contains, can be finished without a catalog.
            await deliver(awaitingContent: false)
            return .listLoadFailed
        }
        guard !Task.isCancelled else { return .listLoadFailed }
        let used = better(than: loaded) ?? loaded
        if used.reading == stored?.reading {
            state.set(used, isProvisional: false)
        } else {
            list(used, isContentUsable: isContentUsable)
        }
        await resumeDownloads()
        if used.reading != stored?.reading || used.origin != .cache { await deliver(awaitingContent: false) }
        if let failure = loaded.failure { state.send(.loading(.catalogNotRefreshed(failure, using: used))) }
        if let failure = loaded.cacheFailure { state.send(.loading(.cacheFailed(failure))) }
        guard !Task.isCancelled else { return .productsLoadFailed }
        await verifyFirstSignedEntry()
        await followAccount()
        let before = entitlements.snapshot
        await askAboutSubscriptions()
        let receipt = await applyReceipt()
        // Nothing else needs the app transaction, and StoreKit may ask the customer to sign in.
        if used.catalog.products.contains(where: \.isGrandfathered) { await grandfathering.decide(receipt) }
        guard !Task.isCancelled else { return .productsLoadFailed }
        let wasReached = record.isStoreReached
        let hasAnswered = await askStore(for: used.catalog, ownedBefore: before)
        guard !Task.isCancelled else { return .productsLoadFailed }
        // A subscription could not end before.
        if !wasReached, record.isStoreReached, !state.snapshot.subscriptions.isEmpty { await askAboutSubscriptions() }
        if hasAnswered { await removeDownloadsOfOthers() }
        if options.content.downloadsUpdates { await updateContent() }
        await recordOpeningFacts(isCatalogCurrent: loaded.failure == nil, hasStoreSnapshot: hasAnswered)
        return hasAnswered ? .productsLoaded : .productsLoadFailed
    }

    /// Loads the catalog if none is loaded, for the purchase of a product that was queried by identifier. The store is
    /// not queried about the products of the catalog.
    func loadCatalogIfMissing() async {
        if let loading, !hookCalls.isInside { _ = await loading.value }
        guard !isStopped, state.snapshot.catalog == nil else { return }
        do {
            let loaded = try await loadCatalog()
            guard state.snapshot.catalog == nil else { return }
            list(loaded, isContentUsable: prepareContentDirectory())
            await unlessWithinHook { await $0.deliver(awaitingContent: false) }
        } catch {
            state.send(.loading(.catalogFailed(error)))
        }
    }

    /// Makes a catalog the current one, and updates the listing of its products.
    func list(_ loaded: LoadedCatalog, isContentUsable: Bool, isProvisional: Bool = false) {
        let hosted = isContentUsable ? contentSources(in: loaded.catalog) : OwnedContent.Sources()
        let available = hosted.available.union(loaded.catalog.products.filter(hasBundledContent).map(\.identifier))
        let before = state.snapshot.context.installedContent
        let installed = isContentUsable ? installedContent(in: loaded.catalog) : [:]
        state.set(loaded, isProvisional: isProvisional) { context in
            context.availableContent = available
            context.contentWithoutSource = hosted.missing
            context.setInstalled(installed, before: before)
        }
        expectMissingPurchases(in: loaded.catalog)
        if state.snapshot.status != .listLoaded { state.set(.listLoaded) }
    }

    /// Returns the server's catalog that an earlier load left in memory, for use instead of the app's own property list
    /// when the server is unavailable and the cache is missing. A catalog whose signature is no longer valid is not
    /// used.
    ///
    /// - Returns: `nil` if no better catalog is in memory.
    private func better(than loaded: LoadedCatalog) -> LoadedCatalog? {
        guard case .file = loaded.origin, loaded.cacheFailure == nil,
            let failure = loaded.failure, failure.code != .signature,
            let present = state.snapshot.loadedCatalog, present.origin == .remote || present.origin == .cache
        else { return nil }
        return present
    }

    func deleteCache() async -> LoadingStatus {
        do {
            try await loader.deleteCache()
        } catch {
            state.send(.loading(.cacheFailed(error)))
        }
        return await unlessWithinHook { await $0.loadAfterPresentLoad() } ?? state.snapshot.status
    }

    private func loadAfterPresentLoad() async -> LoadingStatus {
        // The load in progress may have started with the deleted catalog.
        if let loading { _ = await loading.value }
        return await load(byItself: false)
    }

    private func recordOpeningFacts(isCatalogCurrent: Bool, hasStoreSnapshot: Bool) async {
        let snapshot = state.snapshot
        let isLookedAt = await openingFacts.record(
            hasSeveralAccounts ? nil : options.legacyData, mirrors: options.mirror != nil,
            isCatalogCurrent: isCatalogCurrent && snapshot.sellingObstacle == nil,
            storeSnapshot: hasStoreSnapshot ? snapshot.storeSnapshot : nil)
        if isLookedAt { state.beginMirroring() }
    }

    /// Queries the store about the customer's subscriptions, if the ledger or the catalog contains any, and records the
    /// answer. If the store does not answer, the recorded state remains. If the app keeps App Store accounts apart, the
    /// present account is to be determined before.
    func askAboutSubscriptions() async {
        let snapshot = state.snapshot
        let sellsAny = snapshot.catalog?.products.contains { $0.kind == .autoRenewableSubscription } ?? false
        guard sellsAny || !snapshot.subscriptions.isEmpty else { return }
        let (place, isVerified) = (accountPlace, separateLedger == nil || isAccountVerified)
        // StoreKit's lists are empty without an error if they are not filled yet, such as without a network.
        let isReached = record.isStoreReached
        do {
            // The account may change while the store answers.
            try await queue.recordSubscriptions { [self] in isReached && isVerified && accountPlace == place }
        } catch {
            state.send(.loading(.subscriptionsFailed(error)))
        }
    }

    /// Prepares the content directory for installations, and reports failures by events.
    ///
    /// - Returns: `true` if content can be installed in the directory.
    func prepareContentDirectory() -> Bool {
        do {
            if let gap = try ownedContent.directory.prepareIfPresent() { state.send(.content(.mayBeBackedUp(gap))) }
            return true
        } catch {
            state.send(.content(.failed(error)))
            return false
        }
    }

    /// Returns `true` if the bundled content of a product exists in the folder of bundled files.
    private func hasBundledContent(_ product: CatalogProduct) -> Bool {
        guard let place = product.bundledContentPath.flatMap(bundledLocation) else { return false }
        return FileManager.default.fileExists(atPath: place.path(percentEncoded: false))
    }

    private func contentSources(in catalog: Catalog) -> OwnedContent.Sources {
        do {
            return try ownedContent.sources(in: catalog)
        } catch {
            state.send(.content(.failed(error)))
            return OwnedContent.Sources()
        }
    }

    private func installedContent(in catalog: Catalog) -> [String: InstalledContent] {
        do {
            return try ownedContent.installedContent(in: catalog)
        } catch {
            state.send(.content(.failed(error)))
            return [:]
        }
    }

    func deliver(awaitingContent: Bool) async {
        await state.refreshOrReport()
        await ownedContent.retryHeldDownloads()
        do {
            if awaitingContent { try await queue.drain() } else { try await queue.drainUpToContent() }
        } catch {
            state.send(.loading(.unfinishedTransactionsFailed(error)))
        }
        await noteMissing(queue.pending().compactMap(\.missingProduct))
    }

    /// Waits until all content that is being downloaded for purchases is installed or has failed to download.
    package func contentSettled() async { await queue.contentSettled() }
}
