public import Foundation
public import Networking
public import ProductCatalog

/// A catalog with where it came from and how good it is known to be.
public struct LoadedCatalog: Sendable {
    /// Where a catalog was taken from.
    public enum Origin: Sendable, Hashable {
        /// It was made in code.
        case code
        /// A property list on this device.
        case file(URL)
        /// What was downloaded earlier.
        case cache
        /// The server, just now: a new catalog, or the word that the one in the cache is still current.
        case remote
    }

    public let catalog: Catalog
    public let origin: Origin
    /// When the server last said that this is its catalog; `nil` for one that is not from a server.
    public let checkedDate: Date?
    /// What the server named this copy by.
    public let validators: HTTPValidators
    /// What its signature says.
    public let signature: CatalogSignature
    /// Why nothing newer could be had; `nil` where nothing newer was looked for, or this is it.
    public let failure: CatalogError?
    /// Why nothing new is sold from it, as the rest of a sentence; `nil` where it is.
    public let sellingObstacle: String?
    /// From when on nothing new is sold from it any more, because its signature, its key's or that of `keys.plist` expires;
    /// `nil` where signatures are not enforced, or nothing is sold from it now.
    public let goodUntil: Date?
    /// Who has to have signed a manifest of content that the catalog has no digest of; `nil` where signatures are not
    /// enforced.
    public let contentSigners: ContentSigners?

    /// What is wrong with the cache of downloaded catalogs; `nil` where nothing is.
    public let cacheFailure: CatalogCacheError?
    /// Tells readings apart: of two with the same, the catalogs are the same.
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
