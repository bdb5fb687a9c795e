import ArgumentParser
import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineHostedContent
import VitrineSupport

/// Options for the manifest that an archive must match.
struct ManifestOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The manifest that the archive must match. (default: none)", valueName: "file"),
        completion: .file())
    var manifest: String?

    @Option(
        help: ArgumentHelp(
            "The public key that must have signed the manifest: its file, or the line RW… of that file. Needs --manifest.",
            valueName: "key"), completion: .file())
    var key: String?

    func validate() throws {
        guard key == nil || manifest != nil else {
            throw ValidationError("--key needs --manifest, because the key signs the manifest.")
        }
    }

    /// Reads the manifest given by the options, and checks its signature if a key is given.
    ///
    /// - Throws: ``ToolFailure``: 65 for a file that is not a manifest or a signature, 1 for an invalid signature.
    func read() throws(ToolFailure) -> ContentManifest? {
        guard let path = manifest else { return nil }
        let bytes = try InputFile.read(path, limit: ContentManifest.sizeLimit)
        let manifest: ContentManifest
        do {
            manifest = try ContentManifest(bytes: Array(bytes))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(path): \(error.reason)")
        }
        if let key { try ManifestSignature.check(bytes, of: manifest, at: path, by: try PublicKeyFile.read(key)) }
        return manifest
    }
}

/// Signature of a manifest in a file beside it, in minisign's format.
enum ManifestSignature {
    static func path(of manifest: String) -> String { manifest + ContentManifest.signatureSuffix }

    /// Signs a manifest, and writes the signature beside it.
    ///
    /// - Throws: ``ToolFailure``: 64 if the product's identifier or version cannot be in the comment of a signature, 74
    ///   if the signature cannot be written.
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

    /// Checks the signature of a manifest, which is in a file beside it.
    ///
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

extension ContentManifest {
    /// List of the files in the package.
    var listing: Report {
        var table = Table(headings: ["PATH", "LENGTH", "MODE", "SHA-256"])
        table.rows =
            files.map { file in
                [file.path, String(file.length), file.isExecutable ? "executable" : "", file.digest]
            } + emptyFolders.map { ["\($0)/", "-", "", "-"] }
        return Report(lines: ["\(productIdentifier) \(version)", ""] + table.lines, json: document)
    }

    /// The manifest as a JSON object: product, version, length and digest of the archive, and a row for each file.
    var document: JSONObject {
        [
            "product": productIdentifier, "version": version, "length": archive.length,
            "digest": "sha256:\(archive.digest)", "emptyFolders": emptyFolders,
            "files": files.map { file -> JSONObject in
                [
                    "path": file.path, "length": file.length, "digest": "sha256:\(file.digest)",
                    "executable": file.isExecutable,
                ]
            },
        ]
    }
}
