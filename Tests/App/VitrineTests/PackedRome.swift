import Foundation
import VitrineHostedContent
import VitrineTestSupport

/// Sample guide to Rome, packed for a web server.
struct PackedRome {
    let packed: ContentPacker.Packed
    /// Archive and manifest, by their paths on the server.
    let files: [String: Data]

    /// - Parameter correction: Text of a further file in the package; `nil` for the sample's files alone.
    init(in folder: TemporaryFolder, correction: String? = nil) throws {
        let out = folder["packed\(correction ?? "")"]
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        var package = Repository.samplePackages.appending(path: "Rome")
        if let correction {
            let copy = folder["Rome\(correction)"]
            try FileManager.default.copyItem(at: package, to: copy)
            try folder.write(correction, to: "Rome\(correction)/Contents/correction.txt")
            package = copy
        }
        packed = try ContentPacker.pack(ContentPackage(folder: package), into: out)
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
