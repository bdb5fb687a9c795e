internal import CatalogLoading
import Foundation
import HostedContent
import ProductCatalog

/// Signature of a manifest, in a file beside it.
enum ManifestSignature {
    static func path(of manifest: String) -> String { manifest + ContentManifest.signatureSuffix }

    /// Signs the file of a manifest.
    ///
    /// - Throws: ``ToolFailure`` 64 if a comment cannot contain the product or the version, 74 if the signature
    ///   cannot be written.
    static func write(for packed: ContentPacker.Packed, by key: SigningKey) throws {
        let comment: String
        do throws(CatalogSignatureFailure) {
            comment = try packed.manifest.trustedComment()
        } catch {
            throw ToolFailure(status: .usage, reason: error.reason)
        }
        let signature = try key.sign(Data(try packed.manifest.bytes()), trustedComment: comment)
        try OutputFile.write(Array(signature.file), to: path(of: packed.manifestFile.relativePath))
    }

    /// - Throws: ``ToolFailure``: 1 for an invalid signature, 65 for a file that is not a signature, 66 for a missing
    ///   file.
    static func check(
        _ bytes: Data, of manifest: ContentManifest, at path: String, by key: MinisignPublicKey
    ) throws(ToolFailure) {
        let file = Self.path(of: path)
        let signature = try InputFile.read(file, limit: SignedCatalogFiles.smallFileLimit)
        do {
            try manifest.check(signature, of: bytes, by: ContentSigners([key]), at: Date())
        } catch {
            throw ToolFailure(
                status: [.malformed, .prehashed].contains(error.code) ? .unusableData : .no,
                reason: "\(file): \(error.reason)")
        }
    }
}
