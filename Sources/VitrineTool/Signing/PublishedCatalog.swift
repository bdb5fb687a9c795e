internal import CatalogLoading
import Foundation
import ProductCatalog
import PropertyList

/// Catalog in a file, read as apps read it from a server: a property list or a JSON array.
enum PublishedCatalog {
    /// - Throws: ``CatalogError`` for every catalog that apps would refuse.
    static func read(_ file: Data, path: String) throws(CatalogError) -> Catalog {
        try RemoteCatalogReader.read(
            file, from: URL(filePath: path, directoryHint: .notDirectory), sizeLimit: PropertyListLimits().size)
    }
}

extension CatalogError {
    /// `true` if the catalog can be read but apps would refuse its content.
    var isOfContent: Bool { code == .hasErrors || code == .empty }

    /// Reason why apps would refuse the catalog.
    var refusal: String {
        switch code {
        case .hasErrors: "the catalog has errors: \(reason)"
        case .empty: reason
        default: "the catalog cannot be read: \(position.map { "\($0): " } ?? "")\(reason)"
        }
    }
}
