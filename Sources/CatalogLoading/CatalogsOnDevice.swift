internal import Foundation
internal import ProductCatalog

/// Catalogs on this device, for a remote source.
struct CatalogsOnDevice: Sendable {
    let remote: RemoteCatalog
    /// Build number of the app.
    let appBuild: String?
    /// Downloaded catalog; `nil` if none is usable.
    var copy: AssessedCopy?
    /// Local property list, or its error; `nil` if the app has none.
    let local: Result<LoadedCatalog, CatalogError>?
    /// Error of the cache.
    var cacheFailure: CatalogCacheError?

    private var localCatalog: LoadedCatalog? { try? local?.get() }

    /// `true` if the local property list has the higher version; `nil` if a version is missing or both are equal.
    private var isLocalHigher: Bool? {
        guard let own = localCatalog?.catalog.version, let other = copy?.version, own != other else { return nil }
        return own > other
    }

    /// `true` if the app is newer than the build that wrote the downloaded copy.
    private var isAppNewer: Bool {
        guard let build = appBuild.flatMap(VersionNumber.init),
            let writer = copy?.copy.cached.about.appBuild.flatMap(VersionNumber.init)
        else { return false }
        return build > writer
    }

    /// Returns the local property list if it is preferred to the downloaded catalog: by its version, or else because
    /// the app is newer.
    private func preferredLocal(because failure: CatalogError?) -> LoadedCatalog? {
        guard let local = localCatalog, copy == nil || isLocalHigher ?? isAppNewer else { return nil }
        return LoadedCatalog(
            catalog: local.catalog, origin: local.origin, failure: failure, contentSigners: contentSigners,
            cacheFailure: cacheFailure, reading: local.reading)
    }

    /// Accepted signers for content without a digest in the local property list.
    private var contentSigners: ContentSigners? {
        guard remote.trust?.mode == .enforce else { return nil }
        return copy?.contentSigners ?? .none(because: "no signed catalog with keys has been received")
    }

    /// Returns the best catalog if no request is needed: the copy is fresh, and a newer app has no local property
    /// list that might be better.
    func fresh(at now: Date) -> LoadedCatalog? {
        guard let copy, copy.isFresh(for: remote, at: now),
            localCatalog == nil || isLocalHigher == false || !isAppNewer
        else { return nil }
        return best
    }

    /// Best catalog on this device; `nil` if there is none.
    var best: LoadedCatalog? { best(because: nil) }

    /// - Parameter failure: Error of the request for a newer catalog.
    func best(because failure: CatalogError?) -> LoadedCatalog? {
        preferredLocal(because: failure)
            ?? copy?.loaded(.cache, mode: remote.trust?.mode, failure: failure, cacheFailure: cacheFailure)
    }

    /// Returns the best catalog after a successful request. The server's catalog may be older than the local one.
    func best(of served: AssessedCopy, cacheFailure: CatalogCacheError?) -> LoadedCatalog {
        var onDevice = self
        onDevice.copy = served
        onDevice.cacheFailure = cacheFailure
        return onDevice.preferredLocal(because: nil)
            ?? served.loaded(.remote, mode: remote.trust?.mode, cacheFailure: cacheFailure)
    }
}
