internal import Foundation
internal import VitrineHostedContent
internal import VitrineNetworking

/// Products whose content on a server contradicts the catalog, for example by another digest or by a missing file. The
/// server's catalog may be newer than the one in use: it is requested at once, and then at increasing intervals until the
/// content is installed.
struct CatalogContradictions {
    private var products: Set<String> = []
    /// Number of requests for a newer catalog since the first contradiction.
    private var requests = 0
    /// Earliest date of the next request; `nil` for at once.
    private var date: Date?

    var isEmpty: Bool { products.isEmpty }

    /// Earliest date of the next request for a newer catalog; `nil` if none is needed.
    var nextRequest: Date? { products.isEmpty ? nil : date ?? .distantPast }

    /// Returns `true` if content waits for a newer catalog that may be requested now.
    func isRequestDue(at now: Date) -> Bool { !products.isEmpty && mayRequest(at: now) }

    /// Returns `true` if a newer catalog may be requested now.
    func mayRequest(at now: Date) -> Bool { date.map { $0 <= now } ?? true }

    /// Records that content on a server contradicts the catalog.
    mutating func add(_ product: String) { products.insert(product) }

    /// Records that the content of a product was installed, or is not awaited any more.
    mutating func remove(_ product: String) {
        guard products.remove(product) != nil, products.isEmpty else { return }
        (requests, date) = (0, nil)
    }

    /// Forgets the products whose content is not awaited any more, such as those of a refunded purchase.
    mutating func removeAll(except isAwaited: (String) -> Bool) {
        for product in products where !isAwaited(product) { remove(product) }
    }

    /// Records a request for a newer catalog, and determines the date of the next one.
    mutating func requested(at now: Date, on schedule: RetrySchedule) {
        date = now + schedule.delay(before: requests) / .seconds(1)
        if !products.isEmpty { requests += 1 }
    }
}

extension CatalogManager {
    /// Requests a newer catalog, because the content of an owned product on its server contradicts the current one.
    ///
    /// - Returns: The content that the catalog now names for the product.
    func newerContent(insteadOf request: ContentRequest) async -> NewerContent {
        let product = request.productIdentifier
        if let wanted = wantedContent(insteadOf: request) { return .other(wanted) }
        guard record.isRemote, !isStopped else { return .none }
        record.contradictions.add(product)
        await renewCatalog()
        if loading == nil { planNextLoad() }
        return wantedContent(insteadOf: request).map(NewerContent.other) ?? .awaited
    }

    private func wantedContent(insteadOf request: ContentRequest) -> ContentDownloads.Wanted? {
        ownedContent.wanted(request.productIdentifier).flatMap { $0.request == request ? nil : $0 }
    }

    /// Requests a newer catalog, unless one was requested too recently, and makes it the current one. The store is
    /// queried about its products by an automatic load. A call during another one waits for its result.
    ///
    /// - Returns: `true` if the catalog has changed.
    @discardableResult
    func renewCatalog() async -> Bool {
        if let renewal { return await renewal.value }
        guard record.isRemote, !isStopped, record.contradictions.mayRequest(at: now()),
            record.retryDate(after: now()) == nil
        else { return false }
        record.contradictions.requested(at: now(), on: schedule.retries)
        // A canceled download must not cancel the request, for which other downloads wait.
        let task = Task { await requestNewerCatalog() }
        renewal = task
        defer { renewal = nil }
        return await task.value
    }

    private func requestNewerCatalog() async -> Bool {
        let before = state.snapshot.loadedCatalog?.reading
        let loaded: LoadedCatalog
        do {
            loaded = try await loader.load(asksServer: true)
        } catch {
            record.apply(.failure(error), at: now())
            return false
        }
        guard !isStopped else { return false }
        record.apply(.success(loaded), at: now())
        // A load in progress may have replaced the catalog too.
        guard loaded.failure == nil, loaded.reading != before, loaded.reading != state.snapshot.loadedCatalog?.reading
        else { return state.snapshot.loadedCatalog?.reading != before }
        list(loaded, isContentUsable: prepareContentDirectory())
        record.catalogReplaced()
        if loading == nil { planNextLoad() }
        return true
    }

    /// Follows the downloads whose content has contradicted the catalog.
    func followContradictions(_ event: CatalogEvent) {
        guard !record.contradictions.isEmpty else { return }
        switch event {
        case .content(.installed(let content)): record.contradictions.remove(content.productIdentifier)
        case .content(.downloadUpdated(let download)) where download.endsWait: record.contradictions.remove(download.id)
        case .content(.removed(let products)):
            for product in products { record.contradictions.remove(product) }
        default: return
        }
        if record.contradictions.isEmpty, loading == nil { planNextLoad() }
    }
}

extension DownloadStatus {
    /// `true` if the download does not wait for a newer catalog.
    fileprivate var endsWait: Bool {
        switch state {
        case .finished, .cancelled: true
        case .failed: error?.isContradiction == false
        case .waiting, .active, .paused: false
        }
    }
}
