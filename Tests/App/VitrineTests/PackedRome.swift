import Foundation
import VitrineHostedContent
import VitrineTestSupport

/// Sample guide to Rome, packed for a web server.
struct PackedRome {
    let packed: ContentPacker.Packed
    /// Archive and manifest, by their paths on the server.
    let files: [String: Data]

    init(in folder: TemporaryFolder) throws {
        let out = folder["packed"]
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        packed = try ContentPacker.pack(
            ContentPackage(folder: Repository.samplePackages.appending(path: "Rome")), into: out)
        files = try [packed.archive, packed.manifestFile].reduce(into: [:]) { files, file in
            files["/" + file.lastPathComponent] = try Data(contentsOf: file)
        }
    }

    var manifest: Data? { files["/" + packed.manifestFile.lastPathComponent] }

    /// Returns the sample app's catalog with the server's address of the guide.
    ///
    /// - Parameter hasDigest: `true` if the catalog also contains the digest of the manifest.
    func catalog(on server: URL, hasDigest: Bool = true) throws -> String {
        let digest = "<key>contentDigest</key><string>sha256:\(packed.manifestDigest)</string>"
        return try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8).replacing(
            "<string>guides/rome</string>",
            with: """
                <string>guides/rome</string>
                <key>contentVersion</key><string>\(packed.manifest.version)</string>
                <key>contentURL</key><string>\(server.appending(path: packed.manifestFile.lastPathComponent))</string>
                \(hasDigest ? digest : "")
                """)
    }
}
