public import Foundation
internal import VitrineFileSystem
public import VitrinePropertyList
public import VitrineSupport

/// A catalog read from a file, with the document that its diagnostics refer to.
public struct CatalogFile: Sendable {
    public let document: PropertyListDocument
    public let catalog: Catalog

    /// Reads a file and checks it with all rules.
    ///
    /// - Throws: ``CatalogError`` for a file that is missing, cannot be read or is not a property list. Rule
    ///   violations are not thrown, but reported in the catalog's diagnostics.
    public init(url: URL, limits: PropertyListLimits = PropertyListLimits()) throws(CatalogError) {
        try self.init(Self.bytes(of: url, limits), of: url, limits)
    }

    package static func bytes(
        of url: URL, _ limits: PropertyListLimits = PropertyListLimits()
    ) throws(CatalogError) -> Data {
        do {
            return try BoundedFile.read(url, limit: limits.size)
        } catch {
            throw CatalogError(code: error.isMissing ? .notFound : .unreadable, url: url, reason: error.reason)
        }
    }

    /// Parses and checks the catalog in the bytes of a file.
    ///
    /// - Throws: ``CatalogError`` if the bytes are not a property list.
    init(
        _ bytes: Data, of url: URL, _ limits: PropertyListLimits = PropertyListLimits()
    ) throws(CatalogError) {
        do {
            document = try PropertyListDocument(bytes: Array(bytes), limits: limits)
        } catch {
            throw CatalogError(code: .notAPropertyList, url: url, reason: error.reason, position: error.position)
        }
        catalog = Catalog(document: document)
    }
}

extension Catalog {
    /// Reads the catalog in a file.
    ///
    /// - Throws: ``CatalogError`` if the file is missing or not a property list, or if all products are unusable
    ///   because of errors. A catalog with some usable products is returned, with its diagnostics.
    public init(usableIn url: URL) throws(CatalogError) {
        try self.init(usable: CatalogFile.bytes(of: url), of: url)
    }

    /// Parses the catalog in the bytes of a file.
    ///
    /// - Throws: ``CatalogError``, like ``init(usableIn:)``.
    package init(usable bytes: Data, of url: URL) throws(CatalogError) {
        self = try CatalogFile(bytes, of: url).catalog
        guard hasErrors, products.isEmpty else { return }
        throw CatalogError(
            code: .noUsableProduct, url: url,
            reason: diagnostics.first { $0.severity == .error }?.message ?? "", diagnostics: diagnostics)
    }
}
