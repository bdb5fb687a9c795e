public import Foundation
public import VitrinePropertyList

@_exported public import struct VitrineSupport.CodedError
@_exported public import protocol VitrineSupport.DescribedError
@_exported public import protocol VitrineSupport.ErrorCode

/// Error thrown when a catalog cannot be loaded, or cannot be updated from the server.
public typealias CatalogError = CodedError<CatalogErrorCode>

/// Category of ``CatalogError``.
public enum CatalogErrorCode: String, ErrorCode {
    /// The catalog file does not exist.
    case notFound = "not-found"
    /// The catalog file exists, but cannot be read.
    case unreadable
    /// The content of the catalog file is not a property list, or exceeds the limits for one.
    case notAPropertyList = "not-a-property-list"
    /// The catalog has errors, and every product is excluded because of an error.
    case noUsableProduct = "no-usable-product"

    /// The address of the catalog is not allowed: it is not encrypted, contains credentials, or has an unsupported
    /// scheme.
    case addressRefused = "address-refused"
    /// The server could not be reached, or the connection failed before the whole response was received.
    case unreachable
    /// The server's response took longer than the limits allow.
    case timeout
    /// The server's response is larger than the limit.
    case tooLarge = "too-large"
    /// The server responded with too many redirects, or with a redirect whose address is missing or not allowed.
    case redirect
    /// The server responded with a status code that does not indicate success.
    case status
    /// The request for the catalog was canceled.
    case cancelled
    /// The server responded with a web page.
    case webPage = "web-page"
    /// The server responded with no content, or with a catalog without products.
    case empty
    /// The server's catalog has errors.
    case hasErrors = "has-errors"
    /// The server's catalog does not have the required signature.
    case signature
    /// The server's catalog has no valid signature, and no version or a lower one than the copy on the device.
    case olderVersion = "older-version"

    public static func location(in context: CatalogErrorContext) -> String? {
        let path = context.url.isFileURL ? context.url.relativePath : context.url.absoluteString
        return path + (context.position.map { ":\($0)" } ?? "")
    }

    public var advice: String? {
        switch self {
        case .notFound: "Add the catalog file to the app, or correct its path."
        case .unreadable: "Check the permissions of the catalog file."
        case .notAPropertyList:
            "Correct the catalog file at the position that the error names; it must be a property list or JSON."
        case .noUsableProduct, .hasErrors: "Correct the errors that the diagnostics of the catalog name."
        case .addressRefused: "Load the catalog from an https address without user name and password."
        case .unreachable, .timeout: "Connect to the internet and try again later."
        case .tooLarge: "Make the catalog smaller."
        case .redirect: "Load the catalog from the address to which the server redirects."
        case .status: "Check that the server has the catalog at this address, and try again later."
        case .cancelled: "Load the catalog again."
        case .webPage: "Connect to the internet without a login page, or correct the address of the catalog."
        case .empty: "Put a catalog with products on the server."
        case .signature: "Sign the catalog, and put its signature and keys.plist next to it on the server."
        case .olderVersion: "Publish the catalog with a higher catalogVersion."
        }
    }
}

/// File, position and diagnostics of a ``CatalogError``.
public struct CatalogErrorContext: Sendable, Hashable {
    public let url: URL
    /// Position of the error in the catalog file; `nil` if it is unknown.
    public let position: SourcePosition?
    /// Diagnostics of the catalog rules; empty if the file could not be parsed.
    public let diagnostics: [Diagnostic]
    /// Earliest date at which the server accepts another request; `nil` if the server did not specify one.
    public let retryDate: Date?
}

extension CatalogError {
    public var url: URL { context.url }
    public var position: SourcePosition? { context.position }
    public var diagnostics: [Diagnostic] { context.diagnostics }
    public var retryDate: Date? { context.retryDate }

    package init(
        code: Code, url: URL, reason: String, position: SourcePosition? = nil, diagnostics: [Diagnostic] = [],
        retryDate: Date? = nil
    ) {
        let context = Code.Context(url: url, position: position, diagnostics: diagnostics, retryDate: retryDate)
        self.init(code: code, reason: reason, context: context)
    }

    /// Returns a copy of the error with a text appended to its reason.
    package func adding(_ addition: String) -> CatalogError {
        CatalogError(code: code, reason: "\(reason); \(addition)", context: context)
    }
}
