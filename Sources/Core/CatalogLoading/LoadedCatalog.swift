public import Foundation
public import VitrineCatalog
public import VitrineNetworking

/// A catalog with its origin and the state of its signature.
public struct LoadedCatalog: Sendable {
    /// Origin of a catalog.
    public enum Origin: Sendable, Hashable {
        /// A catalog created in code.
        case code
        /// A catalog from a property list on this device.
        case file(URL)
        /// A catalog from the cache, downloaded earlier.
        case cache
        /// A catalog that the server sent, or confirmed as current, in this load.
        case remote
    }

    public let catalog: Catalog
    public let origin: Origin
    /// Date of the catalog's download, or of the server's last confirmation that it is current; `nil` for a catalog
    /// that is not from a server.
    public let checkedDate: Date?
    /// HTTP validators that the server sent for this copy of the catalog.
    public let validators: HTTPValidators
    /// Result of checking the catalog's signature.
    public let signature: CatalogSignature
    /// Error of the request for a newer catalog; `nil` if no request was made or the request succeeded.
    public let failure: CatalogError?
    /// Reason why no new purchases are offered from this catalog, as part of a sentence; `nil` if they are offered.
    public let sellingObstacle: String?
    /// Date from which no new purchases are offered, because the catalog's signature, its key or `keys.plist` expires;
    /// `nil` if signatures are not enforced, or the signature is not valid now.
    public let goodUntil: Date?
    /// Accepted signers of a content manifest without a digest in the catalog; `nil` if signatures are not
    /// enforced.
    public let contentSigners: ContentSigners?

    /// Error of the cache of downloaded catalogs; `nil` if there is none.
    public let cacheFailure: CatalogCacheError?
    /// Identifier of the parsing result. Values with equal identifiers have equal catalogs.
    package let reading: UUID

    init(
        catalog: Catalog, origin: Origin, checkedDate: Date? = nil, validators: HTTPValidators = HTTPValidators(),
        signature: CatalogSignature = .notChecked, failure: CatalogError? = nil, sellingObstacle: String? = nil,
        goodUntil: Date? = nil, contentSigners: ContentSigners? = nil, cacheFailure: CatalogCacheError? = nil,
        reading: UUID = UUID()
    ) {
        self.catalog = catalog
        self.origin = origin
        self.checkedDate = checkedDate
        self.validators = validators
        self.signature = signature
        self.failure = failure
        self.sellingObstacle = sellingObstacle
        self.goodUntil = goodUntil
        self.contentSigners = contentSigners
        self.cacheFailure = cacheFailure
        self.reading = reading
    }
}

/// Catalogs on this device that can be used in place of the current catalog of a web server.
struct CatalogsOnDevice: Sendable {
    let remote: RemoteCatalog
    /// Build number of the running app; `nil` if it is unknown.
    let appBuild: String?
    /// Downloaded catalog; `nil` if none is usable.
    var copy: AssessedCopy?
    /// Local property list, or its error; `nil` if the app has none.
    let local: Result<LoadedCatalog, CatalogError>?
    /// Error of the cache of downloaded catalogs; `nil` if there is none.
    var cacheFailure: CatalogCacheError?

    private var localCatalog: LoadedCatalog? { try? local?.get() }

    /// `true` if the local property list has a higher version than the downloaded catalog; `nil` if a version is
    /// missing or both are equal.
    private var isLocalHigher: Bool? {
        guard let own = localCatalog?.catalog.version, let other = copy?.version, own != other else { return nil }
        return own > other
    }

    /// `true` if the running app has a higher build number than the app that stored the downloaded catalog in the
    /// cache.
    private var isAppNewer: Bool {
        guard let build = appBuild.flatMap(VersionNumber.init),
            let writer = copy?.copy.cached.about.appBuild.flatMap(VersionNumber.init)
        else { return false }
        return build > writer
    }

    /// Returns the local property list if it is preferred to the downloaded catalog; otherwise `nil`. It is preferred
    /// if no downloaded catalog is usable, if it has a higher version, or, if the versions do not decide, if the
    /// running app has a higher build number than the app that cached the downloaded catalog.
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

    /// Returns the best catalog on this device if no request is needed, otherwise `nil`. No request is needed if the
    /// downloaded catalog is fresh and no app update has since installed a possibly newer local property list.
    func fresh(at now: Date) -> LoadedCatalog? {
        guard let copy, copy.isFresh(for: remote, at: now),
            localCatalog == nil || isLocalHigher == false || !isAppNewer
        else { return nil }
        return best
    }

    /// Best catalog on this device; `nil` if there is none.
    var best: LoadedCatalog? { best(because: nil) }

    /// Returns the best catalog on this device; `nil` if there is none.
    ///
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
