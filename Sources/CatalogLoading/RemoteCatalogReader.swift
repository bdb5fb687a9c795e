package import Foundation
internal import Networking
package import ProductCatalog
internal import PropertyList

/// Reads the catalog in what a web server sent: strictly, because nobody has looked at it before.
package enum RemoteCatalogReader {
    /// - Parameters:
    ///   - mediaType: What the server says that it is; only told where it is no catalog.
    ///   - sizeLimit: Bytes that the server may send.
    /// - Throws: ``CatalogError`` for everything but a catalog without an error and with a product.
    package static func read(
        _ body: Data, mediaType: String? = nil, from url: URL, sizeLimit: Int
    ) throws(CatalogError) -> Catalog {
        let content = body.drop(while: \.isJSONSpace)
        guard let first = content.first else {
            throw CatalogError(code: .empty, url: url, reason: "there is nothing in it")
        }
        let catalog: Catalog
        if first == UInt8(ascii: "[") {
            catalog = Catalog(identifiers: try identifiers(in: body, from: url))
        } else {
            catalog = try propertyList(in: body, mediaType: mediaType, from: url, sizeLimit: sizeLimit)
        }
        if let error = catalog.diagnostics.first(where: { $0.severity == .error }) {
            throw CatalogError(
                code: .hasErrors, url: url, reason: error.message, position: error.position,
                diagnostics: catalog.diagnostics)
        }
        guard !catalog.products.isEmpty else {
            throw CatalogError(
                code: .empty, url: url, reason: "the catalog has no product", diagnostics: catalog.diagnostics)
        }
        return catalog
    }

    private static func propertyList(
        in body: Data, mediaType: String?, from url: URL, sizeLimit: Int
    ) throws(CatalogError) -> Catalog {
        do {
            let limits = PropertyListLimits(size: max(sizeLimit, 0))
            return Catalog(document: try PropertyListDocument(bytes: Array(body), limits: limits))
        } catch {
            guard !isWebPage(body, mediaType) else {
                throw CatalogError(code: .webPage, url: url, reason: "it is a web page")
            }
            throw CatalogError(code: .notAPropertyList, url: url, reason: error.reason, position: error.position)
        }
    }

    /// - Returns: `true` for HTML by its name or its look, which may have an XML declaration or comments before it.
    private static func isWebPage(_ body: Data, _ mediaType: String?) -> Bool {
        if let mediaType, ["text/html", "application/xhtml+xml"].contains(mediaType) { return true }
        let start = String(decoding: body.prefix(1_024), as: UTF8.self).lowercased()
        return start.contains("<!doctype html") || start.contains("<html")
    }

    /// The array of strings that a web service has for a list of what it sells.
    private static func identifiers(in body: Data, from url: URL) throws(CatalogError) -> [String] {
        // Each further element takes a comma: what has too many is not read at all.
        let commas = body.count { $0 == UInt8(ascii: ",") }
        guard commas < CatalogLimits.products else {
            throw CatalogError(
                code: .notAList, url: url, reason: "a catalog has \(CatalogLimits.products) products at most")
        }
        do {
            return try JSONDecoder().decode([String].self, from: body)
        } catch {
            throw CatalogError(
                code: .notAList, url: url, reason: "the JSON is no array of strings, each a product's identifier")
        }
    }
}

extension UInt8 {
    /// White space of JSON (RFC 8259 §2).
    fileprivate var isJSONSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
