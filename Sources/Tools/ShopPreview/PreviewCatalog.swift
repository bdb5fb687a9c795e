internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Catalog of a previewed shop, read from a file, with data for the whole page.
struct PreviewCatalog: Sendable {
    /// Content of the catalog file.
    let data: Data
    let catalog: Catalog
    let findings: ShopFindings
    /// Products that errors exclude from the shop.
    let dropped: [DroppedProduct]
    /// Indexes of the products with a featured image, in catalog order.
    let featured: [Int]
    /// Sorted keys of all wallets that products use or that the catalog declares.
    let wallets: [String]
    /// Languages of titles and descriptions, as BCP 47 tags.
    let languages: Set<String>

    /// Maximum number of wallets on a page.
    private static let mostWallets = 100
    /// Maximum number of products whose texts are searched for languages.
    private static let searchedTexts = 500

    /// Reads a catalog file.
    ///
    /// - Throws: ``PreviewCatalogError`` with the position of the error, if the file cannot be read, is not a property list,
    ///   or has no product without errors.
    init(url: URL) throws(PreviewCatalogError) {
        do {
            data = try BoundedFile.read(url, limit: PropertyListLimits().size)
        } catch {
            throw PreviewCatalogError(
                file: PreviewFileError(url.lastPathComponent, error.reason),
                findings: ShopFindings(), code: error.isMissing ? .notFound : .storage)
        }
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: Array(data))
        } catch {
            throw PreviewCatalogError(
                file: PreviewFileError(url.lastPathComponent, error.reason, error.position),
                findings: ShopFindings(), code: .unusableData)
        }
        let catalog = Catalog(document: document)
        findings = ShopFindings(of: catalog, in: document)
        if catalog.products.isEmpty, let first = findings.all.first(where: { $0.severity == .error }) {
            throw PreviewCatalogError(
                file: PreviewFileError(
                    name: url.lastPathComponent, message: first.message, line: first.line, column: first.column),
                findings: findings, code: .unusableData)
        }
        self.catalog = catalog
        dropped = findings.dropped(from: catalog)
        var (featured, languages): ([Int], Set<String>) = ([], [])
        var wallets = Set(catalog.wallets.keys)
        for (position, product) in catalog.products.enumerated() {
            if let wallet = product.wallet { wallets.insert(wallet) }
            if product.featuredImage != nil { featured.append(position) }
            guard position < Self.searchedTexts else { continue }
            languages.formUnion(product.productTitle?.languages ?? [])
            languages.formUnion(product.longDescription?.languages ?? [])
        }
        self.featured = featured
        self.wallets = Array(wallets.sorted().prefix(Self.mostWallets))
        self.languages = languages.filter { PreviewLanguages.isTag($0) }
    }
}

/// Error of an unusable catalog, with its position.
struct PreviewCatalogError: Error {
    let file: PreviewFileError
    let findings: ShopFindings
    let code: PreviewErrorCode

    var error: PreviewError { PreviewError(code: code, reason: file.description) }
}

extension PreviewFileError {
    /// Creates the error of a file, with the position in it.
    init(_ name: String, _ message: String, _ position: SourcePosition? = nil) {
        self.init(name: name, message: message.asText, line: position?.line, column: position?.column)
    }

    /// Position and message, as the rest of a sentence.
    var description: String {
        [name, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
            + ": \(message)"
    }
}
