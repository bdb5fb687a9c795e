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
        return [content, images].flatMap { files -> [Diagnostic] in
            let missing = files.filter { !isThere($0, in: folder) }
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

    private static func isThere(_ file: NamedFile, in folder: URL) -> Bool {
        let url = folder.appending(path: file.path.description)
        if FileManager.default.fileExists(atPath: url.systemPath) { return true }
        guard file.key != .localContentPath, let name = file.path.components.last else { return false }
        let stem = name.split(separator: ".").first ?? ""
        let endings = name.contains(".") ? [".\(url.pathExtension)"] : [".png", ".jpg", ".jpeg", ".heic", ".pdf"]
        let names = ["", "@2x", "@3x"].flatMap { scale in endings.map { "\(stem)\(scale)\($0)" } }
        return names.contains { name in
            FileManager.default.fileExists(
                atPath: url.deletingLastPathComponent().appending(path: name).systemPath)
        }
    }
}
