public import Foundation
public import Networking
public import ProductCatalog

/// A catalog with its origin and the state of its signature.
public struct LoadedCatalog: Sendable {
    /// Origin of a catalog.
    public enum Origin: Sendable, Hashable {
        /// A catalog created in code.
        case code
        /// A property list on this device.
        case file(URL)
        /// A catalog downloaded earlier.
        case cache
        /// The server, in this load: a new catalog, or the confirmation that the cached catalog is current.
        case remote
    }

    public let catalog: Catalog
    public let origin: Origin
    /// Date of the download or of the server's last confirmation that the catalog is current; `nil` for a catalog that
    /// is not from a server.
    public let checkedDate: Date?
    /// HTTP validators that the server sent for this copy.
    public let validators: HTTPValidators
    /// Result of the signature check.
    public let signature: CatalogSignature
    /// Error of the request for a newer catalog; `nil` if no request was made or it succeeded.
    public let failure: CatalogError?
    /// Reason why no new purchases are offered from this catalog, as part of a sentence; `nil` if they are offered.
    public let sellingObstacle: String?
    /// Date from which no new purchases are offered, because the catalog's signature, its key or `keys.plist` expires;
    /// `nil` if signatures are not enforced, or the signature is not valid now.
    public let goodUntil: Date?
    /// Accepted signers of a content manifest for which the catalog has no digest; `nil` if signatures are not
    /// enforced.
    public let contentSigners: ContentSigners?

    /// Error of the cache of downloaded catalogs; `nil` if there is none.
    public let cacheFailure: CatalogCacheError?
    /// Identifier of the parsed result: values with equal identifiers have equal catalogs.
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
