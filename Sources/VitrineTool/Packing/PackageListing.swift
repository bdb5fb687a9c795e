import Foundation
import HostedContent

/// Files of the package in an archive.
struct PackageListing {
    private let manifest: ContentManifest

    /// - Throws: ``ToolFailure`` if the archive cannot be read.
    init(of archive: String) throws(ToolFailure) {
        do {
            manifest = try ContentArchive.verify(URL(filePath: archive, directoryHint: .notDirectory))
        } catch {
            throw ToolFailure(error)
        }
    }

    var report: Report {
        var table = Table(headings: ["PATH", "LENGTH", "MODE", "SHA-256"])
        table.rows =
            manifest.files.map { file in
                [file.path, String(file.length), file.isExecutable ? "executable" : "", file.digest]
            } + manifest.emptyFolders.map { ["\($0)/", "-", "", "-"] }
        return Report(
            lines: ["\(manifest.productIdentifier) \(manifest.version)", ""] + table.lines,
            json: PackageDocument(manifest), status: .yes)
    }
}

/// JSON document of a package.
struct PackageDocument: Encodable {
    struct File: Encodable {
        let path: String
        let length: Int
        let digest: String
        let executable: Bool
    }

    let product: String
    let version: String
    let length: Int
    let digest: String
    let files: [File]
    let emptyFolders: [String]

    init(_ manifest: ContentManifest) {
        product = manifest.productIdentifier
        version = manifest.version
        length = manifest.archive.length
        digest = "sha256:\(manifest.archive.digest)"
        files = manifest.files.map { file in
            File(path: file.path, length: file.length, digest: "sha256:\(file.digest)", executable: file.isExecutable)
        }
        emptyFolders = manifest.emptyFolders
    }
}
