import ArgumentParser
import Foundation
import HostedContent

/// The manifest that a command holds an archive against.
struct ManifestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What the archive has to be and to hold. (default: any package)", valueName: "file"))
    var manifest: String?

    private static let sizeLimit = 16 * 1024 * 1024

    /// - Throws: ``ToolFailure``: 65 for a file that is no manifest.
    func read() throws(ToolFailure) -> ContentManifest? {
        guard let manifest else { return nil }
        let bytes = try InputFile.read(manifest, limit: Self.sizeLimit)
        do {
            return try ContentManifest(bytes: Array(bytes))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(manifest): \(error.reason)")
        }
    }
}
