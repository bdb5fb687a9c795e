public import Foundation
public import PropertyList

/// Error thrown when a catalog cannot be loaded, or cannot be updated from the server.
public struct CatalogError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of the failure. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The file does not exist.
        public static let notFound = Code("not-found")
        /// The file exists, but cannot be read.
        public static let unreadable = Code("unreadable")
        /// The content is not a property list, or exceeds the limits for one.
        public static let notAPropertyList = Code("not-a-property-list")
        /// The catalog has errors, and no product without an error.
        public static let noUsableProduct = Code("no-usable-product")

        /// The address is not allowed: it is not encrypted, contains credentials, or has an unsupported scheme.
        public static let addressRefused = Code("address-refused")
        /// The server could not be reached, or the connection failed before the whole response was received.
        public static let unreachable = Code("unreachable")
        /// The response took longer than the limits allow.
        public static let timeout = Code("timeout")
        /// The response is larger than the limit.
        public static let tooLarge = Code("too-large")
        /// The response has too many redirects, or a redirect that is not followed.
        public static let redirect = Code("redirect")
        /// The server responded with a status code that indicates no success.
        public static let status = Code("status")
        /// The request was canceled.
        public static let cancelled = Code("cancelled")
        /// The server responded with a web page.
        public static let webPage = Code("web-page")
        /// The server responded with no content, or with a catalog without products.
        public static let empty = Code("empty")
        /// The server responded with JSON that is not a list of product identifiers.
        public static let notAList = Code("not-a-list")
        /// The server's catalog has errors.
        public static let hasErrors = Code("has-errors")
        /// The server's catalog does not have the required signature.
        public static let signature = Code("signature")
    }

    public let code: Code
    public let url: URL
    /// Description of the error as part of a sentence.
    public let reason: String
    /// Position of the error in the file; `nil` if it is unknown.
    public let position: SourcePosition?
    /// Diagnostics of the catalog rules; empty if the file could not be parsed.
    public let diagnostics: [Diagnostic]
    /// Earliest date at which the server accepts another request; `nil` if the server did not specify one.
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

    /// Returns a copy of the error with a text appended to its reason.
    package func adding(_ addition: String) -> CatalogError {
        CatalogError(
            code: code, url: url, reason: "\(reason); \(addition)", position: position, diagnostics: diagnostics,
            retryDate: retryDate)
    }

    public var description: String {
        "\(url.isFileURL ? url.relativePath : url.absoluteString)\(position.map { ":\($0)" } ?? ""): \(reason)"
    }
}
