package import CatalogLoading
package import Foundation
internal import ProductCatalog

/// A manifest's signature, in minisign's legacy form as a catalog's is, with a trusted comment that no other file's
/// has: `vitrine content product=com.example.voyager.rome version=1.0`.
extension ContentManifest {
    /// Suffix of the name of a signature's file.
    package static let signatureSuffix = ".minisig"

    /// Returns the trusted comment of the manifest's signature.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement` for a product or a version that no comment can name: one has
    ///   letters, digits, points, hyphens and underscores of ASCII alone.
    package func trustedComment() throws(CatalogSignatureFailure) -> String {
        for name in [productIdentifier, version] where !CatalogStatement.isName(name) {
            throw CatalogSignatureFailure(
                code: .statement,
                reason: "\(name.quoted) cannot be signed: a name has letters, digits, points, hyphens and underscores")
        }
        return "vitrine content product=\(productIdentifier) version=\(version)"
    }

    /// Checks the signer of the manifest, and that it was signed for its product and version.
    ///
    /// - Parameters:
    ///   - signature: The file with the signature.
    ///   - bytes: The manifest's own file.
    /// - Throws: ``CatalogSignatureFailure``, as ``ContentSigners/check(_:of:comment:at:)`` and ``trustedComment()``
    ///   do.
    package func check(
        _ signature: Data, of bytes: Data, by signers: ContentSigners, at now: Date
    ) throws(CatalogSignatureFailure) {
        try signers.check(signature, of: bytes, comment: trustedComment(), at: now)
    }
}
