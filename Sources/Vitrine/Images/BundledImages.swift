internal import Foundation
internal import ProductCatalog

/// Images bundled with the app, found by the names that a catalog gives them.
struct BundledImages: Sendable {
    /// Folder of the images; `nil` if there are none.
    let folder: URL?
    let variants: ImageVariants

    /// Returns the file for a name: the variant for the screen and the device before the plain one. A name without
    /// extension is that of a PNG.
    ///
    /// - Returns: `nil` for a name that leads out of the folder, or if there is no such file.
    func file(_ name: String) -> URL? {
        guard let folder, let path = try? ContentPath(name) else { return nil }
        let plain = folder.appending(path: path.description, directoryHint: .notDirectory)
        let ending = plain.pathExtension.isEmpty ? "png" : plain.pathExtension
        let stem = plain.pathExtension.isEmpty ? plain : plain.deletingPathExtension()
        let named = variants.suffixes.map { variant in
            stem.deletingLastPathComponent()
                .appending(path: "\(stem.lastPathComponent)\(variant).\(ending)", directoryHint: .notDirectory)
        }
        return (named + [plain]).first { Self.isFile($0) }
    }

    private static func isFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path(percentEncoded: false), isDirectory: &isFolder)
            && !isFolder.boolValue
    }
}

extension String {
    /// Web address of an image; `nil` for a file name.
    var imageAddress: URL? {
        guard let url = URL(string: self), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { return nil }
        return url
    }
}
