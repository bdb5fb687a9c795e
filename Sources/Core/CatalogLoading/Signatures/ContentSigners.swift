package import Foundation
internal import VitrineCatalog

/// Keys accepted for the signature of a content manifest that a signed catalog references without a digest.
///
/// The accepted keys are those that may sign catalogs: the keys of the `keys.plist` downloaded with the catalog. Root
/// keys are not accepted.
public struct ContentSigners: Sendable, Hashable {
    private struct Signer: Sendable, Hashable {
        let key: MinisignPublicKey
        /// Expiration date of the signer's key; `nil` for a key that does not expire.
        let expires: Date?
    }

    private let signers: [Signer]
    /// Latest date of issue of the catalog and its keys, used as a lower bound for the current time.
    private let clock: Date
    /// Reason why no signature of a content manifest is accepted, as part of a sentence.
    private let obstacle: String?

    private init(_ signers: [Signer], clock: Date = .distantPast, obstacle: String? = nil) {
        (self.signers, self.clock, self.obstacle) = (signers, clock, obstacle)
    }

    /// Creates content signers with keys that do not expire. With an empty array, no signature is accepted.
    public init(_ keys: [MinisignPublicKey]) { self.init(keys.map { Signer(key: $0, expires: nil) }) }

    /// Returns content signers that accept no signature.
    ///
    /// - Parameter obstacle: Reason why no signature is accepted, as part of a sentence.
    package static func none(because obstacle: String) -> ContentSigners { ContentSigners([], obstacle: obstacle) }

    /// Creates signers from the keys downloaded with a catalog and the result of its signature check.
    ///
    /// The keys are accepted while their `keys.plist` is the newest one seen. They are also accepted if the catalog
    /// itself has expired, because purchased content is still delivered.
    init(of catalog: CachedCatalog, judged signature: CatalogSignature) {
        let statement: CatalogStatement
        switch signature {
        case .valid(let valid): statement = valid
        // With any other failure, the keys might not be the newest.
        case .outOfDate(let old, let failure) where [.expired, .keyExpired, .rollback].contains(failure.code):
            statement = old
        default:
            self = .none(because: signature.obstacle ?? "the catalog is not signed")
            return
        }
        guard let proof = catalog.proof else {
            self = .none(because: "the catalog is not signed")
            return
        }
        do throws(CatalogSignatureFailure) {
            let keys = try CatalogKeys(proof.keys)
            let signature = try MinisignSignature(proof.keysSignature)
            let about = try CatalogStatement(
                signature.trustedComment, for: .keys, keyIdentifier: signature.keyIdentifierText)
            let signers = keys.keys.filter { !keys.revoked.contains($0.publicKey.identifierText) }
            self.init(
                signers.map { Signer(key: $0.publicKey, expires: min($0.expires, about.expires)) },
                clock: max(about.issued, statement.issued))
        } catch {
            self = .none(because: error.reason)
        }
    }

    /// Checks the signature of a content manifest.
    ///
    /// - Parameters:
    ///   - signature: Content of the signature file.
    ///   - comment: Required trusted comment.
    /// - Throws: ``CatalogSignatureFailure``: `malformed` or `prehashed` for an invalid signature file, `unknownKey`,
    ///   `keyExpired`, `signature`, `comment`, or `statement` for another trusted comment.
    package func check(
        _ signature: Data, of file: Data, comment: String, at now: Date
    ) throws(CatalogSignatureFailure) {
        let signature = try MinisignSignature(unchanged: signature)
        guard let signer = signers.first(where: { $0.key.identifier == signature.keyIdentifier }) else {
            throw CatalogSignatureFailure(
                code: .unknownKey,
                reason: "the signature is made with the key \(signature.keyIdentifierText), which is not accepted"
                    + (obstacle.map { ": \($0)" } ?? ""))
        }
        if let expires = signer.expires, max(now, clock) >= expires {
            throw CatalogSignatureFailure(
                code: .keyExpired,
                reason: "the key \(signature.keyIdentifierText), which made the signature, expired on "
                    + expires.inSeconds)
        }
        try signature.check(file, by: signer.key)
        guard signature.trustedComment.utf8.elementsEqual(comment.utf8) else {
            throw CatalogSignatureFailure(
                code: .statement,
                reason: "the trusted comment of the signature is \(signature.trustedComment.quoted) "
                    + "instead of \(comment.quoted)")
        }
    }
}
