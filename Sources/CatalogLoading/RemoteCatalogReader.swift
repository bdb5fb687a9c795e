package import Foundation
internal import Networking
package import ProductCatalog
internal import PropertyList

/// Parses the catalog in a server's response. Parsing is strict, because the response is unchecked input.
package enum RemoteCatalogReader {
    /// Parses a catalog: a property list, or a JSON array of product identifiers.
    ///
    /// - Parameters:
    ///   - mediaType: Media type of the response; used only to recognize a web page.
    ///   - sizeLimit: Maximum size of a property list in bytes.
    /// - Throws: `CatalogError` unless the catalog has no error and at least one product.
    package static func read(
        _ body: Data, mediaType: String? = nil, from url: URL, sizeLimit: Int
    ) throws(CatalogError) -> Catalog {
        let content = body.drop(while: \.isJSONSpace)
        guard let first = content.first else {
            throw CatalogError(code: .empty, url: url, reason: "the content is empty")
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
                code: .empty, url: url, reason: "the catalog contains no products", diagnostics: catalog.diagnostics)
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
                throw CatalogError(code: .webPage, url: url, reason: "the content is a web page, not a catalog")
            }
            throw CatalogError(code: .notAPropertyList, url: url, reason: error.reason, position: error.position)
        }
    }

    /// - Returns: `true` if the media type is HTML, or an HTML tag is in the first 1,024 bytes, which may begin with an
    ///   XML declaration or comments.
    private static func isWebPage(_ body: Data, _ mediaType: String?) -> Bool {
        if let mediaType, ["text/html", "application/xhtml+xml"].contains(mediaType) { return true }
        let start = String(decoding: body.prefix(1_024), as: UTF8.self).lowercased()
        return start.contains("<!doctype html") || start.contains("<html")
    }

    /// Parses a JSON array of product identifiers.
    private static func identifiers(in body: Data, from url: URL) throws(CatalogError) -> [String] {
        // An array with too many elements, counted by its commas, is rejected without being parsed.
        let commas = body.count { $0 == UInt8(ascii: ",") }
        guard commas < CatalogLimits.products else {
            throw CatalogError(
                code: .notAList, url: url, reason: "a catalog may contain at most \(CatalogLimits.products) products")
        }
        do {
            return try JSONDecoder().decode([String].self, from: body)
        } catch {
            throw CatalogError(
                code: .notAList, url: url, reason: "the JSON is not an array of product identifier strings")
        }
    }
}

extension UInt8 {
    /// `true` if the byte is JSON white space (RFC 8259 §2).
    fileprivate var isJSONSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
