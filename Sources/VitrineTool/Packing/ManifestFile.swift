import ArgumentParser
import Foundation
import HostedContent
import ProductCatalog

/// Manifest that a command compares an archive with.
struct ManifestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The manifest that the archive must match. (default: any package)", valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp(
            "The public key that must have signed the manifest: a file, or its key line. Needs --manifest.",
            valueName: "key"))
    var key: String?

    private static let sizeLimit = 16 * 1024 * 1024

    func validate() throws {
        guard key == nil || manifest != nil else {
            throw ValidationError("--key needs --manifest, because the key signs the manifest.")
        }
    }

    /// - Throws: ``ToolFailure``: 65 for a file that is not a manifest or a signature, 1 for an invalid signature.
    func read() throws(ToolFailure) -> ContentManifest? {
        guard let path = manifest else { return nil }
        let bytes = try InputFile.read(path, limit: Self.sizeLimit)
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
