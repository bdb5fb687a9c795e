internal import Foundation
internal import ProductCatalog

/// The catalogs that are on this device, for a source that a web server is.
struct CatalogsOnDevice: Sendable {
    let remote: RemoteCatalog
    /// The build of the app.
    let appBuild: String?
    /// What was downloaded, where it can be used.
    var copy: AssessedCopy?
    /// The property list of the app, or why it cannot be used; `nil` where the app has none.
    let local: Result<LoadedCatalog, CatalogError>?
    /// What is wrong with the cache.
    var cacheFailure: CatalogCacheError?

    private var localCatalog: LoadedCatalog? { try? local?.get() }

    /// The app's own property list has the higher version; `nil` where versions do not say which is better.
    private var isLocalHigher: Bool? {
        guard let own = localCatalog?.catalog.version, let other = copy?.version, own != other else { return nil }
        return own > other
    }

    /// The app is newer than the one that was there when the server was asked last.
    private var isAppNewer: Bool {
        guard let build = appBuild.flatMap(VersionNumber.init),
            let writer = copy?.copy.cached.about.appBuild.flatMap(VersionNumber.init)
        else { return false }
        return build > writer
    }

    /// The app's own property list, where it is better than what was downloaded: by its version, or else because the app
    /// is newer.
    private func preferredLocal(because failure: CatalogError?) -> LoadedCatalog? {
        guard let local = localCatalog, copy == nil || isLocalHigher ?? isAppNewer else { return nil }
        return LoadedCatalog(
            catalog: local.catalog, origin: local.origin, failure: failure, contentSigners: contentSigners,
            cacheFailure: cacheFailure, reading: local.reading)
    }

    /// Who has to have signed what the app's own property list has no digest of.
    private var contentSigners: ContentSigners? {
        guard remote.trust?.mode == .enforce else { return nil }
        return copy?.contentSigners ?? .none(because: "no signed catalog has come that names keys")
    }

    /// The best of them, where the server need not be asked for a newer one: the copy is fresh, and a newer app has
    /// nothing that might be better than that.
    func fresh(at now: Date) -> LoadedCatalog? {
        guard let copy, copy.isFresh(for: remote, at: now),
            localCatalog == nil || isLocalHigher == false || !isAppNewer
        else { return nil }
        return best
    }

    /// The best of them; `nil` where there is none.
    var best: LoadedCatalog? { best(because: nil) }

    /// - Parameter failure: Why nothing better can be had.
    func best(because failure: CatalogError?) -> LoadedCatalog? {
        preferredLocal(because: failure)
            ?? copy?.loaded(.cache, mode: remote.trust?.mode, failure: failure, cacheFailure: cacheFailure)
    }

    /// The best of them, once the server has said what it has: that may be older than what the app has.
    func best(of served: AssessedCopy, cacheFailure: CatalogCacheError?) -> LoadedCatalog {
        var onDevice = self
        onDevice.copy = served
        onDevice.cacheFailure = cacheFailure
        return onDevice.preferredLocal(because: nil)
            ?? served.loaded(.remote, mode: remote.trust?.mode, cacheFailure: cacheFailure)
    }
}
