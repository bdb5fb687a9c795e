public import Foundation
public import PropertyList

/// Why there is no catalog, or no newer one.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such file.
        public static let notFound = Code("not-found")
        /// The file is there and cannot be read.
        public static let unreadable = Code("unreadable")
        /// It is no property list, or one that asks for too much.
        public static let notAPropertyList = Code("not-a-property-list")
        /// The catalog has errors, and no product without one.
        public static let noUsableProduct = Code("no-usable-product")

        /// The address is not one that is asked: not encrypted, with credentials, or of another kind.
        public static let addressRefused = Code("address-refused")
        /// Nobody could be reached, or the connection broke before the whole reply had come.
        public static let unreachable = Code("unreachable")
        /// The reply took longer than the limits allow.
        public static let timeout = Code("timeout")
        /// The reply is longer than the limit.
        public static let tooLarge = Code("too-large")
        /// There are too many redirects, or one that is not followed.
        public static let redirect = Code("redirect")
        /// The server answered with a status that is no success.
        public static let status = Code("status")
        /// The request was cancelled.
        public static let cancelled = Code("cancelled")
        /// The server answered with a web page.
        public static let webPage = Code("web-page")
        /// The server answered with nothing, or with a catalog that has no product.
        public static let empty = Code("empty")
        /// The server answered with JSON that is no list of product identifiers.
        public static let notAList = Code("not-a-list")
        /// The catalog of the server has errors.
        public static let hasErrors = Code("has-errors")
        /// The catalog of the server does not bear the signature that it has to.
        public static let signature = Code("signature")
    }

    public let code: Code
    public let url: URL
    /// What is wrong, as the rest of a sentence.
    public let reason: String
    /// Where in the file, if it can be said.
    public let position: SourcePosition?
    /// What the rules found, where the file could be read at all.
    public let diagnostics: [Diagnostic]
    /// The server does not want to be asked again before; `nil` where it does not say.
    public let retryDate: Date?

    package init(
        code: Code, url: URL, reason: String, position: SourcePosition? = nil, diagnostics: [Diagnostic] = [],
        retryDate: Date? = nil
    ) {
        self.code = code
        self.url = url
        self.reason = reason
        self.position = position
        self.diagnostics = diagnostics
        self.retryDate = retryDate
    }

    /// The same failure with more to say.
    package func adding(_ addition: String) -> CatalogError {
        CatalogError(
            code: code, url: url, reason: "\(reason); \(addition)", position: position, diagnostics: diagnostics,
            retryDate: retryDate)
    }

    public var description: String {
        "\(url.isFileURL ? url.relativePath : url.absoluteString)\(position.map { ":\($0)" } ?? ""): \(reason)"
    }
}
