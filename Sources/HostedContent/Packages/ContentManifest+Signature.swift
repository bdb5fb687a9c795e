package import CatalogLoading
package import Foundation
internal import ProductCatalog

/// A manifest's signature, in minisign's legacy form as a catalog's is, with a trusted comment that no other file's has:
/// `vitrine content product=com.example.voyager.rome version=1.0`.
extension ContentManifest {
    /// What a signature's file is called, after the manifest's.
    package static let signatureSuffix = ".minisig"

    /// The trusted comment of its signature.
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

    /// Checks who has signed the manifest, and that it was signed for its own product and version.
    ///
    /// - Parameters:
    ///   - signature: The file with the signature.
    ///   - bytes: The manifest's own file.
    /// - Throws: ``CatalogSignatureFailure``, as ``ContentSigners/check(_:of:comment:at:)`` and ``trustedComment()`` do.
    package func check(
        _ signature: Data, of bytes: Data, by signers: ContentSigners, at now: Date
    ) throws(CatalogSignatureFailure) {
        try signers.check(signature, of: bytes, comment: trustedComment(), at: now)
    }
}
