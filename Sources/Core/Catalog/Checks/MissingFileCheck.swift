public import Foundation
internal import VitrineFileSystem

/// Check for missing files: content and images that should be included in the app.
public enum MissingFileCheck {
    /// Name of the rule, contained in its diagnostics.
    public static let rule = "missing-file"

    static let explanation =
        "Content and images of the app must exist at the declared paths, or customers do not get what they paid for."

    /// Checks that the files declared in a catalog exist in a folder.
    ///
    /// Hosted content and images with a URL are not checked. An image may be declared without its extension, and may
    /// exist in several scales, like an image for `UIImage(named:)`.
    ///
    /// - Parameters:
    ///   - catalog: Catalog to check.
    ///   - folder: Folder of the files.
    ///   - isCertain: `true` if all files must be in the folder. If `false`, a type of files (content or images) that
    ///     is entirely absent from the folder is assumed to be located elsewhere, and not reported.
    public static func diagnostics(of catalog: Catalog, in folder: URL, isCertain: Bool) -> [Diagnostic] {
        var folders = Folders(root: folder)
        return [[CatalogKey.localContentPath], [.productIcon, .featuredImage]].flatMap { keys -> [Diagnostic] in
            let isElsewhere =
                !isCertain
                && !catalog.products.contains { product in
                    keys.contains { key in path(of: key, product).map { folders.hold($0, key) } ?? false }
                }
            if isElsewhere { return [] }
            return catalog.products.flatMap { product in
                keys.compactMap { key in
                    guard let path = path(of: key, product), !folders.hold(path, key) else { return nil }
                    return Diagnostic(
                        rule: rule, severity: .warning,
                        message: "\(key.name) \(path.description.quoted) does not exist",
                        position: product.position(of: key))
                }
            }
        }
    }

    /// Returns the path of the file under a key of a product.
    ///
    /// - Returns: `nil` for hosted content, for the URL of an image, and for an invalid path.
    private static func path(of key: CatalogKey, _ product: CatalogProduct) -> ContentPath? {
        if key == .localContentPath { return product.isHosted ? nil : product.localContentPath }
        let name = key == .productIcon ? product.productIcon : product.featuredImage
        // Most names are a file or an https address; a search for a text takes far longer.
        guard var name, !name.hasPrefix("https://") else { return nil }
        let mayBeAddress = name.withUTF8 { $0.contains(UInt8(ascii: ":")) }
        if mayBeAddress, name.contains("://") { return nil }
        return try? ContentPath(name)
    }

    /// Cache of the names of existing files and folders, by parent folder.
    private struct Folders {
        let root: URL
        private var names: [String: Set<String>] = [:]
        private static let imageEndings = ["png", "jpg", "jpeg", "heic", "pdf", "gif", "svg", "webp"]

        init(root: URL) { self.root = root }

        mutating func hold(_ path: ContentPath, _ key: CatalogKey) -> Bool {
            guard !path.isEmpty else { return true }
            let there = names(in: path.folder)
            guard !there.isEmpty else { return false }
            let name = path.name
            if there.contains(name) { return true }
            guard key != .localContentPath else { return false }
            let ending = (name as NSString).pathExtension
            let isImage = Self.imageEndings.contains(ending.lowercased())
            let stem = isImage ? (name as NSString).deletingPathExtension : name
            return ["", "@2x", "@3x"].contains { scale in
                (isImage ? [ending] : Self.imageEndings).contains { there.contains("\(stem)\(scale).\($0)") }
            }
        }

        /// Returns the names in a folder. A folder that cannot be read is treated as empty.
        private mutating func names(in folder: String) -> Set<String> {
            if let known = names[folder] { return known }
            let url = folder.isEmpty ? root : root.appending(path: folder, directoryHint: .isDirectory)
            let found = Set((try? FileManager.default.contentsOfDirectory(atPath: url.systemPath)) ?? [])
            names[folder] = found
            return found
        }
    }
}
