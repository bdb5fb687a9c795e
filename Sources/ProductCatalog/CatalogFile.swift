internal import FileSystem
public import Foundation
public import PropertyList

/// A catalog read from a file, with the text that its diagnostics refer to.
public struct CatalogFile: Sendable {
    public let document: PropertyListDocument
    public let catalog: Catalog

    /// Reads a file and judges it by every rule.
    ///
    /// - Throws: ``CatalogError`` for a file that is not there, cannot be read or is no property list. What the rules
    ///   find is not thrown: it is in the catalog's diagnostics.
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

    /// - Throws: ``CatalogError`` for what is no property list.
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
    /// The catalog in a file, read now.
    ///
    /// - Throws: ``CatalogError`` where there is no file, no property list in it, or no product that can be used
    ///   because of errors. A catalog whose other products can be used is returned, with its diagnostics.
    public init(usableIn url: URL) throws(CatalogError) {
        try self.init(usable: CatalogFile.bytes(of: url), of: url)
    }

    /// The catalog in a file that was read.
    ///
    /// - Throws: As ``init(usableIn:)`` does.
    package init(usable bytes: Data, of url: URL) throws(CatalogError) {
        self = try CatalogFile(bytes, of: url).catalog
        guard hasErrors, products.isEmpty else { return }
        throw CatalogError(
            code: .noUsableProduct, url: url,
            reason: diagnostics.first { $0.severity == .error }?.message ?? "", diagnostics: diagnostics)
    }
}
