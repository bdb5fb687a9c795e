internal import Foundation
internal import VitrineCatalog

/// Images bundled with the app, found by the names that a catalog gives them.
struct BundledImages: Sendable {
    /// Folder of the images; `nil` if there are none.
    let folder: URL?
    let variants: ImageVariants

    /// Returns the file of an image: the variant for the screen and the device or, if there is none, the plain image. A
    /// name without an extension refers to a PNG.
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

/// Suffixes of image names for a screen and a device, such as `@2x` and `~ipad`.
struct ImageVariants: Sendable {
    /// Suffixes in order of preference, with the empty suffix of the plain name last.
    let suffixes: [String]

    /// - Parameters:
    ///   - scale: Number of pixels per screen point in each direction: 1, 2 or 3.
    ///   - idiom: Device type, such as `ipad` or `iphone`; `nil` for any.
    init(scale: Int, idiom: String?) {
        let scales = stride(from: min(scale, 3), through: 2, by: -1).map { "@\($0)x" } + [""]
        suffixes = scales.flatMap { scale in [idiom.map { "\(scale)~\($0)" }, scale].compactMap(\.self) }
    }

    /// Returns the web addresses of the variants of an image in order of preference, followed by its own address.
    /// Components after the path, such as a query, are not changed. An address without a file name has no variants.
    func addresses(of plain: URL) -> [URL] {
        guard let components = URLComponents(url: plain, resolvingAgainstBaseURL: true) else { return [plain] }
        let path = components.percentEncodedPath
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        guard !name.isEmpty else { return [plain] }
        // A dot at the beginning of a name does not begin an extension.
        let ending = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
        let others = suffixes.filter { !$0.isEmpty }.compactMap { suffix -> URL? in
            guard let suffix = suffix.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else { return nil }
            var other = components
            other.percentEncodedPath = "\(path[..<ending])\(suffix)\(path[ending...])"
            return other.url
        }
        return others + [plain]
    }
}
