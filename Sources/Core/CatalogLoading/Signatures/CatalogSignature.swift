public import Foundation

@_exported public import struct VitrineSupport.CodedError
@_exported public import protocol VitrineSupport.DescribedError
@_exported public import protocol VitrineSupport.ErrorCode

/// Trust settings for the signature of a remote catalog.
public struct CatalogTrust: Sendable, Hashable {
    /// Effect of a missing or invalid signature.
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Reports a missing or invalid signature, but uses the catalog.
        case report
        /// Rejects a catalog with a missing or invalid signature. The products of an out-of-date catalog are listed,
        /// but cannot be bought.
        case enforce
    }

    public var mode: Mode
    /// Public root keys whose signature of `keys.plist` is accepted: the current one and its successor. Their private
    /// keys are kept offline.
    public var roots: [MinisignPublicKey]
    /// Bundle identifier of the app for which the catalog must be signed.
    public var app: String
    /// Release channel, such as `production`, for which the catalog must be signed.
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
    /// The app does not check signatures of catalogs.
    case notChecked
    /// The catalog's signature is valid, and the app has not accepted a newer catalog before.
    case valid(CatalogStatement)
    /// The catalog's signature was valid, but the signature or its key has expired, the key was revoked, or the app has
    /// accepted a newer catalog or newer keys before.
    case outOfDate(CatalogStatement, CatalogSignatureFailure)
    /// The catalog's signature is missing or invalid.
    case invalid(CatalogSignatureFailure)
    /// The validity of the catalog's signature is unknown, because the record of accepted catalogs cannot be read or
    /// written. The associated value is the reason.
    case undetermined(String)
}

/// Error thrown for a signature that is missing or not accepted.
public typealias CatalogSignatureFailure = CodedError<CatalogSignatureFailureCode>

/// Category of ``CatalogSignatureFailure``.
public enum CatalogSignatureFailureCode: String, ErrorCode {
    /// The required signature is missing.
    case missing
    /// A key, a signature or `keys.plist` has an invalid format.
    case malformed
    /// A signature has minisign's prehashed format, which is not supported.
    case prehashed
    /// `keys.plist` is not signed by one of the pinned root keys.
    case unknownRoot = "unknown-root"
    /// The root key's signature does not match `keys.plist`.
    case keysSignature = "keys-signature"
    /// `keys.plist` is older, or has a lower epoch, than one that the app has accepted before.
    case keysRollback = "keys-rollback"
    /// The version or the epoch of `keys.plist` is too far above the highest one that the app has accepted.
    case keysFastForward = "keys-fast-forward"
    /// `keys.plist` has expired.
    case keysExpired = "keys-expired"
    /// The signing key of the catalog is not in `keys.plist`.
    case unknownKey = "unknown-key"
    /// The signature does not match the file that it signs.
    case signature
    /// The signature of the trusted comment does not match the trusted comment.
    case comment
    /// The trusted comment of a signature has invalid content, or belongs to another type of file.
    case statement
    /// The catalog or `keys.plist` is signed for another app.
    case app
    /// The catalog or `keys.plist` is signed for another release channel.
    case channel
    /// The catalog or `keys.plist` is dated in the future.
    case notYet = "not-yet"
    /// The catalog's version is lower than the highest accepted version, or equal to an accepted version with a later
    /// date of issue.
    case rollback
    /// The catalog's version is too far above the highest accepted version.
    case fastForward = "fast-forward"
    /// The catalog has expired.
    case expired
    /// The signing key of the catalog has expired.
    case keyExpired = "key-expired"
    /// The signing key of the catalog was revoked.
    case keyRevoked = "key-revoked"
    /// The catalog contains another version or expiration date than its signed statement.
    case content

    public var advice: String? {
        switch self {
        case .missing: "Put the signature of the catalog, keys.plist and its signature next to the catalog."
        case .malformed:
            "Create the key, signature or keys.plist that the error names again, with the vitrine tool of the same version "
                + "of Vitrine as in the app."
        case .prehashed: "Sign the catalog, keys.plist or manifest again with minisign and its option -l."
        case .unknownRoot, .keysSignature: "Sign keys.plist with a root key that the app pins."
        case .keysRollback, .keysFastForward: "Publish the current keys.plist."
        case .keysExpired: "Sign keys.plist again with a later expiration date."
        case .unknownKey:
            "Add the key that signed the catalog to keys.plist, or sign the catalog with a key of keys.plist."
        case .signature, .comment, .statement, .content:
            "Sign the catalog again after its last change, and publish the catalog with its signature."
        case .app, .channel: "Publish a catalog and a keys.plist that are signed for this app and channel."
        case .notYet: "Set the date and time of the device correctly."
        case .rollback, .fastForward: "Publish the catalog with the next higher version."
        case .expired: "Sign the catalog again with a later expiration date."
        case .keyExpired, .keyRevoked: "Sign the catalog with another key of keys.plist."
        }
    }
}

extension CatalogSignatureFailure {
    /// Returns a copy of the failure whose reason begins with a subject, such as the name of a file.
    func of(_ subject: String) -> CatalogSignatureFailure {
        CatalogSignatureFailure(code: code, reason: "\(subject): \(reason)")
    }
}
