internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// A downloaded catalog that has been parsed.
struct CatalogCopy: Sendable {
    var cached: CachedCatalog
    let catalog: Catalog
    /// Identifier of the parsing result. Copies with equal identifiers have equal catalogs.
    let reading = UUID()
}

/// A downloaded catalog with the current result of its signature check.
struct AssessedCopy: Sendable {
    var copy: CatalogCopy
    let signature: CatalogSignature

    /// Version of the catalog or, if it has none, of its signed statement. A newer catalog has a higher version.
    var version: Int? {
        if let version = copy.catalog.version { return version }
        switch signature {
        case .valid(let statement), .outOfDate(let statement, _): return statement.version
        case .notChecked, .invalid, .undetermined: return nil
        }
    }

    /// Returns `true` if the downloaded catalog can be used without requesting a newer one.
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

    /// Accepted signers of content manifests, from the keys downloaded with the catalog.
    var contentSigners: ContentSigners { ContentSigners(of: copy.cached, judged: signature) }
}

extension CatalogSignature {
    /// Reason why the signature is invalid, out of date or not checked, as part of a sentence; `nil` if it is valid.
    var obstacle: String? {
        switch self {
        case .valid: nil
        case .notChecked: "the signature of the catalog was not checked"
        case .outOfDate(_, let failure), .invalid(let failure): failure.reason
        case .undetermined(let reason): reason
        }
    }

    /// Returns the result of the signature check after comparing the signed statement with the catalog: invalid if they
    /// disagree.
    func agreeing(with catalog: Catalog) -> CatalogSignature {
        switch self {
        case .valid(let statement), .outOfDate(let statement, _):
            statement.disagreement(with: catalog).map(CatalogSignature.invalid) ?? self
        case .notChecked, .invalid, .undetermined: self
        }
    }

    /// `true` if the signature was checked with the newest known `keys.plist`, and the file contains the signing key.
    var isOfNewestKeys: Bool {
        switch self {
        case .valid: true
        case .outOfDate(_, let failure): failure.code != .keysRollback
        case .notChecked, .invalid, .undetermined: false
        }
    }

    /// Expiration date of a valid signature; `nil` if it is not valid.
    fileprivate var goodUntil: Date? {
        if case .valid(let statement) = self { statement.goodUntil } else { nil }
    }

    /// Returns `true` if the products of a catalog with this signature may be listed.
    func permitsListing(in mode: CatalogTrust.Mode?) -> Bool {
        switch self {
        case .valid, .outOfDate: true
        case .notChecked, .invalid, .undetermined: mode != .enforce
        }
    }
}
