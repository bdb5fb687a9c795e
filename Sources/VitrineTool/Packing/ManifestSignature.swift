import Foundation
import HostedContent
import ProductCatalog

/// A manifest's signature, in minisign's legacy form as a catalog's is, and with a trusted comment that no other file's
/// has.
enum ManifestSignature {
    static func path(of manifest: String) -> String { "\(manifest).minisig" }

    private static func comment(for manifest: ContentManifest) -> String {
        "vitrine content product=\(manifest.productIdentifier) version=\(manifest.version)"
    }

    /// Signs a manifest's file.
    ///
    /// - Throws: ``ToolFailure`` 64 for a product or a version that no comment can name, 74 where the signature cannot be
    ///   written.
    static func write(for packed: ContentPacker.Packed, by key: SigningKey) throws {
        for name in [packed.manifest.productIdentifier, packed.manifest.version] {
            guard CatalogStatement.isName(name) else {
                throw ToolFailure(
                    status: .usage,
                    reason:
                        "\(name.quoted) cannot be signed: a name has letters, digits, points, hyphens and underscores")
            }
        }
        let path = packed.manifestFile.relativePath
        let signature = try key.sign(
            Data(try packed.manifest.bytes()), trustedComment: comment(for: packed.manifest))
        try OutputFile.write(Array(signature.file), to: Self.path(of: path))
    }

    /// - Throws: ``ToolFailure``: 1 for a signature that is not good, 65 for what is none, 66 where there is none.
    static func check(
        _ bytes: Data, of manifest: ContentManifest, at path: String, by key: MinisignPublicKey
    ) throws(ToolFailure) {
        let file = Self.path(of: path)
        let data = try InputFile.read(file, limit: SignedCatalogFiles.smallFileLimit)
        let signature: MinisignSignature
        do {
            signature = try MinisignSignature(data)
            try signature.check(bytes, by: key)
        } catch {
            throw ToolFailure(
                status: [.malformed, .prehashed].contains(error.code) ? .unusableData : .no,
                reason: "\(file): \(error.reason)")
        }
        guard signature.trustedComment.utf8.elementsEqual(comment(for: manifest).utf8) else {
            throw ToolFailure(
                status: .no,
                reason: "\(file): its trusted comment \(signature.trustedComment.quoted) is not for this content")
        }
    }
}
