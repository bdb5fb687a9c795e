import Foundation
import VitrineHostedContent
import VitrineTestSupport

/// Package in a temporary folder.
struct SamplePackage {
    let url: URL

    init(
        in folder: TemporaryFolder, named name: String = "Rome", product: String = "rome", version: String = "1.0",
        files: [String: String] = ["guide.md": "# Rome\n", "maps/forum.svg": "<svg/>\n"]
    ) throws {
        url = folder["packages/\(name)"]
        try folder.write(
            PlistText.document(
                """
                <dict><key>IAPProductIdentifier</key><string>\(product)</string>
                <key>ContentVersion</key><string>\(version)</string></dict>
                """),
            to: "packages/\(name)/ContentInfo.plist")
        try FileManager.default.createDirectory(
            at: url.appending(path: "Contents"), withIntermediateDirectories: true)
        for (path, text) in files { try folder.write(text, to: "packages/\(name)/Contents/\(path)") }
    }

    func open() throws -> ContentPackage { try ContentPackage(folder: url) }

    /// Returns the URL of a path in `Contents`.
    subscript(path: String) -> URL { url.appending(path: "Contents/\(path)") }
}

/// Returns the paths of all files and folders in a folder, including hidden ones.
func paths(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted()
}
