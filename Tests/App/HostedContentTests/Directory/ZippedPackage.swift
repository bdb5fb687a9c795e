import Crypto
import Foundation
import Testing
import VitrineHostedContent
import VitrineTestSupport

/// Package in an archive that the `zip` tool has made.
struct ZippedPackage {
    let url: URL
    private let package: SamplePackage

    init(of package: SamplePackage, at url: URL) throws {
        (self.url, self.package) = (url, package)
        let zip = url.deletingPathExtension().appendingPathExtension("zip")
        let result = try PeerTool.zip.run("-qr", zip.path(), "ContentInfo.plist", "Contents", in: package.url)
        try #require(result.status == 0)
        if zip != url { try FileManager.default.moveItem(at: zip, to: url) }
    }

    var digest: String { get throws { try Self.digest(of: url) } }

    /// Returns the manifest that the archive must match.
    func manifest() throws -> ContentManifest {
        let info = try package.open().info
        let files = try paths(in: package.url).filter {
            try package.url.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }
        return ContentManifest(
            productIdentifier: info.productIdentifier, version: info.version,
            archive: .init(
                name: url.lastPathComponent, length: try Data(contentsOf: url).count, digest: try digest),
            files: try files.map { path in
                let file = package.url.appending(path: path)
                return ContentManifest.File(
                    path: path, length: try Data(contentsOf: file).count, digest: try Self.digest(of: file))
            })
    }

    static func digest(of file: URL) throws -> String {
        SHA256.hash(data: try Data(contentsOf: file)).map { String(format: "%02x", $0) }.joined()
    }
}
