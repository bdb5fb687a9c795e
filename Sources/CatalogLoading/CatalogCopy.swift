internal import Foundation
internal import ProductCatalog

/// A downloaded catalog that was read.
struct CatalogCopy: Sendable {
    var cached: CachedCatalog
    let catalog: Catalog
    /// Tells readings apart.
    let reading: UUID

    init(_ cached: CachedCatalog, catalog: Catalog) {
        self.cached = cached
        self.catalog = catalog
        reading = UUID()
    }
}

/// A downloaded catalog with what its signature is worth now.
struct AssessedCopy: Sendable {
    var copy: CatalogCopy
    let signature: CatalogSignature

    /// The number that a newer catalog has a higher one of.
    var version: Int? {
        if let version = copy.catalog.version { return version }
        switch signature {
        case .valid(let statement), .outOfDate(let statement, _): return statement.version
        case .notChecked, .invalid, .undetermined: return nil
        }
    }

    /// The server is not asked whether there is a newer one.
    func isFresh(for remote: RemoteCatalog, at now: Date) -> Bool {
        let about = copy.cached.about
        let age = now.timeIntervalSince(about.checkedDate)
        guard age >= 0, age < remote.cacheDays * 86_400, about.trust == remote.trust.map(TrustSettings.init) else {
            return false
        }
        if case .outOfDate = signature { return false }
        return copy.catalog.expires.map { now < $0 } ?? true
    }

    func loaded(
        _ origin: LoadedCatalog.Origin, mode: CatalogTrust.Mode?, failure: CatalogError? = nil,
        cacheFailure: CatalogCacheError? = nil
    ) -> LoadedCatalog {
        LoadedCatalog(
            catalog: copy.catalog, origin: origin, checkedDate: copy.cached.about.checkedDate,
            validators: copy.cached.about.validators, signature: signature, failure: failure,
            sellingObstacle: mode == .enforce ? signature.obstacle : nil,
            goodUntil: mode == .enforce ? signature.goodUntil : nil,
            contentSigners: mode == .enforce ? contentSigners : nil, cacheFailure: cacheFailure,
            reading: copy.reading)
    }

    /// The keys that came with it.
    var contentSigners: ContentSigners { ContentSigners(of: copy.cached, judged: signature) }
}

extension CatalogSignature {
    /// Why it is no good signature of the newest catalog, as the rest of a sentence; `nil` where it is.
    var obstacle: String? {
        switch self {
        case .valid: nil
        case .notChecked: "nobody has looked at its signature"
        case .outOfDate(_, let failure), .invalid(let failure): failure.reason
        case .undetermined(let reason): reason
        }
    }

    /// With what the catalog itself says otherwise taken into account.
    func agreeing(with catalog: Catalog) -> CatalogSignature {
        switch self {
        case .valid(let statement), .outOfDate(let statement, _):
            statement.disagreement(with: catalog).map(CatalogSignature.invalid) ?? self
        case .notChecked, .invalid, .undetermined: self
        }
    }

    /// It was judged by the newest keys that were ever seen, and they know its key.
    var isOfNewestKeys: Bool {
        switch self {
        case .valid: true
        case .outOfDate(_, let failure): failure.code != .keysRollback
        case .notChecked, .invalid, .undetermined: false
        }
    }

    /// Until when it is good; `nil` where it is not.
    fileprivate var goodUntil: Date? {
        if case .valid(let statement) = self { statement.goodUntil } else { nil }
    }

    /// Whether a catalog may be listed with it.
    func permitsListing(in mode: CatalogTrust.Mode?) -> Bool {
        switch self {
        case .valid, .outOfDate: true
        case .notChecked, .invalid, .undetermined: mode != .enforce
        }
    }
}
