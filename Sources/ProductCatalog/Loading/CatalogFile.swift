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
        let bytes: Data
        do {
            bytes = try BoundedFile.read(url, limit: limits.size)
        } catch {
            throw CatalogError(code: error.isMissing ? .notFound : .unreadable, url: url, reason: error.reason)
        }
        do {
            document = try PropertyListDocument(bytes: Array(bytes), limits: limits)
        } catch {
            throw CatalogError(code: .notAPropertyList, url: url, reason: error.reason, position: error.position)
        }
        catalog = Catalog(document: document)
    }
}

/// Why there is no catalog.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such file.
        public static let notFound = Code("not-found")
        /// The file is there and cannot be read.
        public static let unreadable = Code("unreadable")
        /// The file is no property list, or one that asks for too much.
        public static let notAPropertyList = Code("not-a-property-list")
        /// The catalog has errors, and no product without one.
        public static let noUsableProduct = Code("no-usable-product")
    }

    public let code: Code
    public let url: URL
    /// What is wrong, as the rest of a sentence.
    public let reason: String
    /// Where in the file, if it can be said.
    public let position: SourcePosition?
    /// What the rules found, where the file could be read at all.
    public let diagnostics: [Diagnostic]

    init(code: Code, url: URL, reason: String, position: SourcePosition? = nil, diagnostics: [Diagnostic] = []) {
        self.code = code
        self.url = url
        self.reason = reason
        self.position = position
        self.diagnostics = diagnostics
    }

    public var description: String {
        "\(url.relativePath)\(position.map { ":\($0)" } ?? ""): \(reason)"
    }
}
