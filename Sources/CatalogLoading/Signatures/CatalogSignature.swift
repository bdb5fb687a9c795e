public import Foundation
internal import ProductCatalog

/// Trust settings for the signature of a remote catalog.
public struct CatalogTrust: Sendable, Hashable {
    /// Effect of a missing or invalid signature.
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Reports the fault, but uses the catalog.
        case report
        /// Rejects the catalog. An out-of-date catalog is listed, but offers no new purchases.
        case enforce
    }

    public var mode: Mode
    /// Root keys that may sign `keys.plist`: the current one and its successor. Their private keys are kept offline.
    public var roots: [MinisignPublicKey]
    /// Bundle identifier of the app for which the catalog must be signed.
    public var app: String
    /// Channel for which the catalog must be signed.
    public var channel: String

    public init(mode: Mode, roots: [MinisignPublicKey], app: String, channel: String = "production") {
        self.mode = mode
        self.roots = roots
        self.app = app
        self.channel = channel
    }
}

/// Files of a signed catalog, as received from the server.
public struct SignedCatalogFiles: Sendable, Hashable {
    public var catalog: Data
    /// Content of `<catalog>.minisig`.
    public var signature: Data
    /// Content of `keys.plist`, from the folder of the catalog.
    public var keys: Data
    /// Content of `keys.plist.minisig`.
    public var keysSignature: Data

    /// Maximum size in bytes of each file other than the catalog.
    package static let smallFileLimit = 64 * 1024

    public init(catalog: Data, signature: Data, keys: Data, keysSignature: Data) {
        self.catalog = catalog
        self.signature = signature
        self.keys = keys
        self.keysSignature = keysSignature
    }
}

/// Result of checking a catalog's signature.
public enum CatalogSignature: Sendable, Hashable {
    /// Signatures are not checked.
    case notChecked
    /// The signature is valid, and no newer catalog has been seen.
    case valid(CatalogStatement)
    /// The signature was valid, but it or its key has expired, its key was revoked, or something newer has been seen.
    case outOfDate(CatalogStatement, CatalogSignatureFailure)
    /// The signature is missing or invalid.
    case invalid(CatalogSignatureFailure)
    /// The validity is unknown, because the record of seen catalogs cannot be read or written. Contains the reason.
    case undetermined(String)
}
