internal import ProductCatalog

/// Error thrown for a signature that is missing or not accepted.
public struct CatalogSignatureFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of the failure. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The signature is missing.
        public static let missing = Code("missing")
        /// A key, a signature or `keys.plist` has an invalid format.
        public static let malformed = Code("malformed")
        /// The signature has minisign's prehashed format.
        public static let prehashed = Code("prehashed")
        /// `keys.plist` is not signed by one of the pinned root keys.
        public static let unknownRoot = Code("unknown-root")
        /// The root key's signature does not match `keys.plist`.
        public static let keysSignature = Code("keys-signature")
        /// `keys.plist` is older than one that was seen, or has a lower epoch.
        public static let keysRollback = Code("keys-rollback")
        /// The version or the epoch of `keys.plist` is too far above the highest that was seen.
        public static let keysFastForward = Code("keys-fast-forward")
        /// `keys.plist` has expired.
        public static let keysExpired = Code("keys-expired")
        /// The signing key of the catalog is not in `keys.plist`.
        public static let unknownKey = Code("unknown-key")
        /// The signature does not match the catalog.
        public static let signature = Code("signature")
        /// The signature of a trusted comment does not match it.
        public static let comment = Code("comment")
        /// A trusted comment has invalid content, or is for another type of file.
        public static let statement = Code("statement")
        /// The file is signed for another app.
        public static let app = Code("app")
        /// The file is signed for another channel.
        public static let channel = Code("channel")
        /// The file is dated in the future.
        public static let notYet = Code("not-yet")
        /// The catalog's version is lower than the highest one seen, or equal and issued earlier than one that was
        /// seen.
        public static let rollback = Code("rollback")
        /// The catalog's version is too far above the highest that was seen.
        public static let fastForward = Code("fast-forward")
        /// The catalog has expired.
        public static let expired = Code("expired")
        /// The signing key of the catalog has expired.
        public static let keyExpired = Code("key-expired")
        /// The signing key of the catalog was revoked.
        public static let keyRevoked = Code("key-revoked")
        /// The catalog contains a different version or expiration date than its signed statement.
        public static let content = Code("content")
    }

    public let code: Code
    /// Description of the failure as part of a sentence.
    public let reason: String

    package init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// Returns a copy with a subject before the reason.
    func of(_ subject: String) -> CatalogSignatureFailure {
        CatalogSignatureFailure(code: code, reason: "\(subject): \(reason)")
    }
}
