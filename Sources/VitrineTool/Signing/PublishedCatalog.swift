internal import CatalogLoading
import Foundation
import ProductCatalog
import PropertyList

/// A catalog in a file, read as apps read it when it comes from a server: a property list, or a JSON array.
enum PublishedCatalog {
    /// - Throws: ``CatalogError`` for everything that apps would refuse.
    static func read(_ file: Data, path: String) throws(CatalogError) -> Catalog {
        try RemoteCatalogReader.read(
            file, from: URL(filePath: path, directoryHint: .notDirectory), sizeLimit: PropertyListLimits().size)
    }
}

extension CatalogError {
    /// It can be read, and apps would refuse it all the same.
    var isOfContent: Bool { code == .hasErrors || code == .empty }

    /// Why apps would refuse it.
    var refusal: String {
        switch code {
        case .hasErrors: "the catalog has errors: \(reason)"
        case .empty: reason
        default: "the catalog cannot be read: \(position.map { "\($0): " } ?? "")\(reason)"
        }
    }
}
