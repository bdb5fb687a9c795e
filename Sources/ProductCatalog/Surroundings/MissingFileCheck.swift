internal import FileSystem
public import Foundation

/// What a catalog names and is not there: content that comes with the app, and images.
public enum MissingFileCheck {
    /// The name of the rule, which its findings carry.
    public static let rule = "missing-file"

    static let explanation =
        "Content and images that come with the app lie where the catalog says, or a customer gets nothing for the money."

    /// Looks for the files that a catalog names in a folder.
    ///
    /// Hosted content is not looked for, nor what has an address. An image may be named without its ending, and lie there
    /// in several scales, as `UIImage(named:)` finds it.
    ///
    /// - Parameters:
    ///   - catalog: What is looked at.
    ///   - folder: Where the files lie.
    ///   - isCertain: They all lie there. Where that is not certain, files of a kind of which none is there are taken to
    ///     lie elsewhere, and nothing is said about them.
    public static func diagnostics(of catalog: Catalog, in folder: URL, isCertain: Bool) -> [Diagnostic] {
        let content = catalog.products.compactMap { product -> NamedFile? in
            guard !product.isHosted, let path = product.localContentPath else { return nil }
            return NamedFile(product: product, key: .localContentPath, path: path)
        }
        let images = catalog.products.flatMap { product in
            [
                image(product.productIcon, of: product, .productIcon),
                image(product.featuredImage, of: product, .featuredImage),
            ].compactMap(\.self)
        }
        var folders = Folders(root: folder)
        return [content, images].flatMap { files -> [Diagnostic] in
            let missing = files.filter { !folders.hold($0) }
            guard isCertain || missing.count < files.count else { return [] }
            return missing.map { file in
                Diagnostic(
                    rule: rule, severity: .warning,
                    message: "\(file.key.name) \(file.path.description.quoted) is not there",
                    position: file.product.position(of: file.key))
            }
        }
    }

    private struct NamedFile {
        let product: CatalogProduct
        let key: CatalogKey
        let path: ContentPath
    }

    /// - Returns: `nil` for an address, and for what is no path inside the folder.
    private static func image(_ name: String?, of product: CatalogProduct, _ key: CatalogKey) -> NamedFile? {
        guard let name, !name.contains("://") else { return nil }
        return (try? ContentPath(name)).map { NamedFile(product: product, key: key, path: $0) }
    }

    /// What lies in the folders that the files are named in, each looked into once.
    private struct Folders {
        let root: URL
        private var names: [[String]: Set<String>] = [:]
        private static let imageEndings = ["png", "jpg", "jpeg", "heic", "pdf", "gif", "svg", "webp"]

        init(root: URL) { self.root = root }

        mutating func hold(_ file: NamedFile) -> Bool {
            guard let name = file.path.components.last else { return true }
            let there = names(in: file.path.components.dropLast())
            if there.contains(name) { return true }
            guard file.key != .localContentPath, !there.isEmpty else { return false }
            let ending = (name as NSString).pathExtension
            let isImage = Self.imageEndings.contains(ending.lowercased())
            let stem = isImage ? (name as NSString).deletingPathExtension : name
            return ["", "@2x", "@3x"].contains { scale in
                (isImage ? [ending] : Self.imageEndings).contains { there.contains("\(stem)\(scale).\($0)") }
            }
        }

        /// A folder that cannot be looked into holds nothing.
        private mutating func names(in folder: ArraySlice<String>) -> Set<String> {
            let key = Array(folder)
            if let known = names[key] { return known }
            let url = folder.reduce(root) { $0.appending(path: $1, directoryHint: .isDirectory) }
            let found = Set((try? FileManager.default.contentsOfDirectory(atPath: url.systemPath)) ?? [])
            names[key] = found
            return found
        }
    }
}
