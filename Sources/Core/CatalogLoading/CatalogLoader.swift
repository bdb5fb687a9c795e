public import Foundation
public import VitrineCatalog
public import VitrineNetworking

/// Loads the best available catalog.
///
/// For a remote catalog, the order is: the cached catalog while it is fresh; the server's catalog; the cached catalog
/// of any age; the local property list. The server's catalog replaces the cached one only if it can be parsed, has a
/// product and no error, has neither a lower version than the cached one nor none in its place unless it is signed, and, if
/// signatures are enforced, has a valid signature.
public actor CatalogLoader {
    private let source: CatalogSource
    let cache: CatalogCache
    let fetcher: HTTPFetcher
    let numbers: any MonotonicCounters
    let appBuild: String?
    let now: @Sendable () -> Date

    /// Cached catalog in memory; `nil` until the cache has been read.
    var copy: CatalogCopy?
    /// Number of times that this loader has deleted the cache.
    var deletions = 0
    /// `true` if the cache was deleted, but its file could not be removed. The file is ignored until it is replaced.
    var isFileForgotten = false
    /// Most recently parsed local property list, with its bytes.
    var localReading: (bytes: Data, loaded: LoadedCatalog)?
    private var loading: (task: Task<Result<LoadedCatalog, CatalogError>, Never>, asksServer: Bool)?

    /// Creates a loader for a catalog.
    ///
    /// - Parameters:
    ///   - source: Source of the catalog.
    ///   - cacheFolder: Folder for downloaded catalogs. It may be deleted at any time.
    ///   - transport: Transport for requests to the server.
    ///   - numbers: Storage for the versions and dates of the newest signed catalog and keys that the app has accepted.
    ///   - appBuild: Build number of the app. A newer build prefers its own property list to a catalog cached by an
    ///     older build.
    ///   - now: Returns the current time, used to check catalogs and responses.
    public init(
        source: CatalogSource, cacheFolder: URL, transport: any HTTPTransport, numbers: any MonotonicCounters,
        appBuild: String?, now: @escaping @Sendable () -> Date
    ) {
        self.source = source
        cache = CatalogCache(folder: cacheFolder)
        fetcher = HTTPFetcher(transport: transport)
        self.numbers = numbers
        self.appBuild = appBuild
        self.now = now
    }

    /// Returns the best catalog on this device, without a request.
    ///
    /// - Returns: `nil` if there is none, or if the source is not a server: ``load()`` then makes no request either.
    public func storedCatalog() async -> LoadedCatalog? {
        guard case .remote(let remote, let local) = source else { return nil }
        return await onDevice(remote, local).best
    }

    /// Loads the best available catalog. A call during another load waits for that load, and is canceled with it if the
    /// first caller is canceled.
    ///
    /// - Parameter asksServer: `true` to request the server's catalog even if the cached one is fresh.
    /// - Throws: `CatalogError` if no catalog is available. The error is the failure of the request, if one was made.
    public func load(asksServer: Bool = false) async throws(CatalogError) -> LoadedCatalog {
        switch source {
        case .catalog(let catalog): return LoadedCatalog(catalog: catalog, origin: .code)
        case .file(let url): return LoadedCatalog(catalog: try Catalog(usableIn: url), origin: .file(url))
        case .remote(let remote, let local):
            while let earlier = loading {
                let result = await earlier.task.value
                if earlier.asksServer || !asksServer { return try result.get() }
                if loading?.task == earlier.task { loading = nil }
            }
            let task = Task {
                let result: Result<LoadedCatalog, CatalogError>
                do throws(CatalogError) {
                    result = .success(try await load(remote, local, asksServer: asksServer))
                } catch {
                    result = .failure(error)
                }
                return result
            }
            loading = (task, asksServer)
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if loading?.task == task { loading = nil }
            return try result.get()
        }
    }

    /// Deletes the cached catalog. A load in progress does not store its result.
    ///
    /// - Returns: `false` if no catalog was cached.
    /// - Throws: ``CatalogCacheError`` if the file cannot be removed. This loader ignores the file until it has written
    ///   another one; a loader created later reads it.
    @discardableResult
    public func deleteCache() throws(CatalogCacheError) -> Bool {
        deletions += 1
        copy = nil
        loading = nil
        isFileForgotten = true
        let wasCached = try cache.deleteCatalog()
        isFileForgotten = false
        return wasCached
    }

    /// Returns the status of the catalog, without a request.
    public func status() async -> CatalogStatus {
        switch source {
        case .catalog(let catalog): return CatalogStatus(stored: LoadedCatalog(catalog: catalog, origin: .code))
        case .file(let url):
            let local = self.local(at: url)
            return CatalogStatus(local: url, stored: try? local.get(), localFailure: local.failure)
        case .remote(let remote, let local): return await status(of: remote, local)
        }
    }

    private func status(of remote: RemoteCatalog, _ local: URL?) async -> CatalogStatus {
        let onDevice = await onDevice(remote, local)
        var (attempt, failure): (CatalogAttempt?, CatalogCacheError?) = (nil, onDevice.cacheFailure)
        do {
            attempt = try cache.attempt()
        } catch {
            failure = failure ?? error
        }
        return CatalogStatus(
            url: remote.url, local: local, stored: onDevice.best, localFailure: onDevice.local?.failure,
            isFresh: onDevice.fresh(at: now()) != nil,
            fetchedDate: onDevice.copy?.copy.cached.about.fetchedDate, lastAttempt: attempt, cacheFailure: failure)
    }

    /// Records the date of the next automatic request, for ``status()``.
    ///
    /// - Throws: ``CatalogCacheError`` if the date cannot be written to the cache.
    public func noteNextAttempt(at date: Date?) throws(CatalogCacheError) {
        // The file stores dates in whole seconds.
        let date = date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        guard var attempt = try cache.attempt(), attempt.nextDate != date else { return }
        attempt.nextDate = date
        try cache.write(attempt)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
