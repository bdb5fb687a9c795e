internal import Foundation
internal import ProductCatalog

/// The images that come with the app, found by the names that a catalog gives them.
struct BundledImages: Sendable {
    /// `nil` where none come with it.
    let folder: URL?
    /// What is put behind a name, the best first.
    let variants: [String]

    /// - Parameters:
    ///   - scale: How many pixels a point of the screen has on each side: 1, 2 or 3.
    ///   - idiom: The kind of device, as `ipad` or `iphone`; `nil` for any.
    init(folder: URL?, scale: Int, idiom: String?) {
        self.folder = folder
        let scales = stride(from: min(scale, 3), through: 2, by: -1).map { "@\($0)x" } + [""]
        variants = scales.flatMap { scale in [idiom.map { "\(scale)~\($0)" }, scale].compactMap(\.self) }
    }

    /// The file for a name: that of the screen and the device before the plain one. A name without ending is one of a PNG.
    ///
    /// - Returns: `nil` for a name that leads out of the folder, or where there is no such file.
    func file(_ name: String) -> URL? {
        guard let folder, let path = try? ContentPath(name) else { return nil }
        let plain = folder.appending(path: path.description, directoryHint: .notDirectory)
        let ending = plain.pathExtension.isEmpty ? "png" : plain.pathExtension
        let stem = plain.pathExtension.isEmpty ? plain : plain.deletingPathExtension()
        let named = variants.map { variant in
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
    /// The address, where this is no file's name but an image's address on the web.
    var imageAddress: URL? {
        guard let url = URL(string: self), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { return nil }
        return url
    }
}
