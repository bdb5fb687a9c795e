package import Foundation
internal import ProductCatalog

/// Whose signature something has to bear that a signed catalog leads to without a digest: a manifest of content.
///
/// They are the keys that may sign catalogs: those of the `keys.plist` that came with the catalog. Roots are none of
/// them.
public struct ContentSigners: Sendable, Hashable {
    private struct Signer: Sendable, Hashable {
        let key: MinisignPublicKey
        /// `nil` where nobody has said that it expires.
        let expires: Date?
    }

    private let signers: [Signer]
    /// What is signed about them is from then: before that it cannot be now.
    private let clock: Date
    /// Why there are none, as the rest of a sentence.
    private let obstacle: String?

    private init(_ signers: [Signer], clock: Date = .distantPast, obstacle: String? = nil) {
        (self.signers, self.clock, self.obstacle) = (signers, clock, obstacle)
    }

    /// Keys that are good for ever. Without any, no signature counts.
    public init(_ keys: [MinisignPublicKey]) { self.init(keys.map { Signer(key: $0, expires: nil) }) }

    /// Nobody's signature counts.
    ///
    /// - Parameter obstacle: Why, as the rest of a sentence.
    package static func none(because obstacle: String) -> ContentSigners { ContentSigners([], obstacle: obstacle) }

    /// The keys that came with a catalog, once its signature was judged.
    ///
    /// They count while nothing newer is known than the `keys.plist` that names them: also where the catalog itself has
    /// expired, for what was bought is delivered all the same.
    init(of catalog: CachedCatalog, judged signature: CatalogSignature) {
        let statement: CatalogStatement
        switch signature {
        case .valid(let valid): statement = valid
        // All others may hide that the keys are not the newest.
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

    /// Checks the signature of a file.
    ///
    /// - Parameters:
    ///   - signature: The file with the signature.
    ///   - comment: What the trusted comment has to be.
    /// - Throws: ``CatalogSignatureFailure``: `malformed` or `prehashed` for what is no signature, `unknownKey`,
    ///   `keyExpired`, `signature`, `comment`, or `statement` for a comment about something else.
    package func check(
        _ signature: Data, of file: Data, comment: String, at now: Date
    ) throws(CatalogSignatureFailure) {
        let signature = try MinisignSignature(unchanged: signature)
        guard let signer = signers.first(where: { $0.key.identifier == signature.keyIdentifier }) else {
            throw CatalogSignatureFailure(
                code: .unknownKey,
                reason: "it is made with the key \(signature.keyIdentifierText), which is none that counts"
                    + (obstacle.map { ": \($0)" } ?? ""))
        }
        if let expires = signer.expires, max(now, clock) >= expires {
            throw CatalogSignatureFailure(
                code: .keyExpired,
                reason: "the key \(signature.keyIdentifierText), which has signed it, has expired on "
                    + expires.inSeconds)
        }
        try signature.check(file, by: signer.key)
        guard signature.trustedComment.utf8.elementsEqual(comment.utf8) else {
            throw CatalogSignatureFailure(
                code: .statement,
                reason: "its trusted comment is \(signature.trustedComment.quoted) instead of \(comment.quoted)")
        }
    }
}
