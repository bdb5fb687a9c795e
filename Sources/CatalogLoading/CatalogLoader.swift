public import Foundation
public import Networking
public import ProductCatalog

/// Finds the best catalog that can be had.
///
/// Of a remote catalog that is, in this order: what was downloaded, while it is fresh; what the server has; what was
/// downloaded, however old; the property list on disk. What the server has takes the place of what was downloaded only
/// where it is good: it can be read, has a product and no error, and, where that is asked for, a good signature.
public actor CatalogLoader {
    private let source: CatalogSource
    let cache: CatalogCache
    let fetcher: HTTPFetcher
    let numbers: any HighestNumbers
    let appBuild: String?
    let now: @Sendable () -> Date

    /// What was downloaded, once it was read.
    var copy: CatalogCopy?
    /// Counts the calls that forget what was downloaded.
    var deletions = 0
    /// What was downloaded has been forgotten, and its file could not be removed: what is in that is as old as ever.
    var isFileForgotten = false
    /// The property list of the app, as it was read last.
    var localReading: (bytes: Data, loaded: LoadedCatalog)?
    private var loading: Task<Result<LoadedCatalog, CatalogError>, Never>?

    /// - Parameters:
    ///   - source: Where the catalog comes from.
    ///   - cacheFolder: Where downloaded catalogs are kept. It may vanish.
    ///   - transport: What asks the server.
    ///   - numbers: Where it is kept which catalog was seen last.
    ///   - appBuild: The build of the app: a later one prefers its own property list to what an earlier one has cached.
    ///   - now: The time that catalogs and replies are held against.
    public init(
        source: CatalogSource, cacheFolder: URL, transport: any HTTPTransport, numbers: any HighestNumbers,
        appBuild: String?, now: @escaping @Sendable () -> Date
    ) {
        self.source = source
        cache = CatalogCache(folder: cacheFolder)
        fetcher = HTTPFetcher(transport: transport)
        self.numbers = numbers
        self.appBuild = appBuild
        self.now = now
    }

    /// The best catalog that is on this device, without asking anybody.
    ///
    /// - Returns: `nil` where there is none, or the catalog is not from a server, so that ``load()`` asks nobody either.
    public func kept() async -> LoadedCatalog? {
        guard case .remote(let remote, let local) = source else { return nil }
        return await onDevice(remote, local).best
    }

    /// The best catalog that can be had now. A call while one is under way waits for that one, and ends with it where the
    /// first is cancelled.
    ///
    /// - Throws: ``CatalogError`` where there is none at all: the server's failure, where one is asked.
    public func load() async throws(CatalogError) -> LoadedCatalog {
        switch source {
        case .catalog(let catalog): return LoadedCatalog(catalog: catalog, origin: .code)
        case .file(let url): return LoadedCatalog(catalog: try Catalog(usableIn: url), origin: .file(url))
        case .remote(let remote, let local):
            if let loading { return try await loading.value.get() }
            let task = Task {
                let result: Result<LoadedCatalog, CatalogError>
                do throws(CatalogError) {
                    result = .success(try await load(remote, local))
                } catch {
                    result = .failure(error)
                }
                return result
            }
            loading = task
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if loading == task { loading = nil }
            return try result.get()
        }
    }

    /// Forgets what was downloaded. A load that is under way keeps nothing.
    ///
    /// - Throws: ``CatalogCacheError`` where the file cannot be removed. This loader does not read it any more, until it has
    ///   written another; one that is made later does.
    public func deleteCache() throws(CatalogCacheError) {
        deletions += 1
        copy = nil
        loading = nil
        isFileForgotten = true
        try cache.deleteCatalog()
        isFileForgotten = false
    }

    /// What is known of the catalog without asking anybody.
    public func status() async -> CatalogStatus {
        switch source {
        case .catalog(let catalog): return CatalogStatus(kept: LoadedCatalog(catalog: catalog, origin: .code))
        case .file(let url):
            let local = self.local(at: url)
            return CatalogStatus(local: url, kept: try? local.get(), localFailure: local.failure)
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
            url: remote.url, local: local, kept: onDevice.best, localFailure: onDevice.local?.failure,
            isFresh: onDevice.fresh(at: now()) != nil,
            fetchedDate: onDevice.copy?.copy.cached.about.fetchedDate, lastAttempt: attempt, cacheFailure: failure)
    }

    /// Writes down when the server is asked again by itself, for ``status()``.
    ///
    /// - Throws: ``CatalogCacheError``.
    public func noteNextAttempt(at date: Date?) throws(CatalogCacheError) {
        // The file has no fractions of a second.
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
