internal import ProductCatalog

/// Why a signature does not count.
public struct CatalogSignatureFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no signature.
        public static let missing = Code("missing")
        /// A key, a signature or `keys.plist` is not what it has to be.
        public static let malformed = Code("malformed")
        /// The signature is of minisign's prehashed form.
        public static let prehashed = Code("prehashed")
        /// None of the pinned roots has signed `keys.plist`.
        public static let unknownRoot = Code("unknown-root")
        /// `keys.plist` is not what its root has signed.
        public static let keysSignature = Code("keys-signature")
        /// `keys.plist` is older than one that was seen, or of an epoch before.
        public static let keysRollback = Code("keys-rollback")
        /// The version or the epoch of `keys.plist` is too far above the highest that was seen.
        public static let keysFastForward = Code("keys-fast-forward")
        /// `keys.plist` has expired.
        public static let keysExpired = Code("keys-expired")
        /// The catalog is signed with a key that `keys.plist` does not name.
        public static let unknownKey = Code("unknown-key")
        /// The catalog is not what its key has signed.
        public static let signature = Code("signature")
        /// A trusted comment is not what its key has signed.
        public static let comment = Code("comment")
        /// A trusted comment does not say what it has to say, or is one for another kind of file.
        public static let statement = Code("statement")
        /// It is signed for another app.
        public static let app = Code("app")
        /// It is signed for another channel.
        public static let channel = Code("channel")
        /// It is dated in the future.
        public static let notYet = Code("not-yet")
        /// The catalog's version is below the highest that was seen, or the same and signed before one that was seen.
        public static let rollback = Code("rollback")
        /// The catalog's version is too far above the highest that was seen.
        public static let fastForward = Code("fast-forward")
        /// The catalog has expired.
        public static let expired = Code("expired")
        /// The key that has signed the catalog has expired.
        public static let keyExpired = Code("key-expired")
        /// The key that has signed the catalog was revoked.
        public static let keyRevoked = Code("key-revoked")
        /// The catalog itself names another version, or another date of expiry, than what is signed with it.
        public static let content = Code("content")
    }

    public let code: Code
    /// What is wrong, as the rest of a sentence.
    public let reason: String

    package init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// The failure of something that is named.
    func of(_ subject: String) -> CatalogSignatureFailure {
        CatalogSignatureFailure(code: code, reason: "\(subject): \(reason)")
    }
}
