import ArgumentParser
import Foundation
import HostedContent
import ProductCatalog

/// The manifest that a command holds an archive against.
struct ManifestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What the archive has to be and to hold. (default: any package)", valueName: "file"))
    var manifest: String?

    @Option(
        help: ArgumentHelp(
            "The public key that has to have signed the manifest: a file, or its line. Needs --manifest.",
            valueName: "key"))
    var key: String?

    private static let sizeLimit = 16 * 1024 * 1024

    func validate() throws {
        guard key == nil || manifest != nil else {
            throw ValidationError("--key needs --manifest: it is the manifest that is signed.")
        }
    }

    /// - Throws: ``ToolFailure``: 65 for a file that is no manifest or no signature, 1 for a signature that is not good.
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
