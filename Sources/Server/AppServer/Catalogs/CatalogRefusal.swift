internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import VitrineCatalog
package import VitrinePropertyList
package import VitrineSupport

/// Error thrown when a catalog is refused for publication.
package typealias CatalogRefusal = CodedError<CatalogRefusalCode>

/// Category of ``CatalogRefusal``.
package enum CatalogRefusalCode: String, ErrorCode {
    /// The server has no app with the given name.
    case unknownApp = "not-found"
    /// A file is missing, or its name is not one of a catalog's file names.
    case missingFile = "missing-file"
    case tooLarge = "too-large"
    case notAPropertyList = "not-a-property-list"
    /// The catalog has errors, which the context lists, or no products.
    case hasErrors = "has-errors"
    /// The signature is missing or not valid.
    case signature
    /// The catalog, or its file of keys, is older than the published one.
    case older
    /// The database is not available at the moment.
    case unavailable

    /// Results of checking the catalog.
    package struct Findings: Hashable, Sendable {
        package var diagnostics: [Diagnostic] = []
        /// Position of the syntax error if the file is not a property list.
        package var position: SourcePosition?
    }

    package typealias Context = Findings?

    package var advice: String? {
        switch self {
        case .hasErrors, .notAPropertyList: "Correct the catalog; `vitrine lint` finds the same."
        case .signature: "Sign the catalog again after its last change, with a key that keys.plist lists."
        case .older: "Publish a catalog with a higher version."
        case .unavailable: "Try again later."
        case .unknownApp, .missingFile, .tooLarge: nil
        }
    }

    /// HTTP status of the error response.
    var status: HTTPResponse.Status {
        switch self {
        case .unknownApp: .notFound
        case .missingFile: .badRequest
        case .tooLarge: .contentTooLarge
        case .notAPropertyList, .hasErrors, .signature: .unprocessableContent
        case .older: .conflict
        case .unavailable: .serviceUnavailable
        }
    }
}

extension CatalogRefusal {
    package typealias Findings = CatalogRefusalCode.Findings
}

/// JSON document of one result of checking a catalog.
struct FindingDocument: Encodable {
    let severity: String
    let rule: String
    let message: String
    let line, column: Int?
    /// Byte offset of the position in a binary file.
    let offset: Int?

    init(_ diagnostic: Diagnostic) {
        severity = diagnostic.severity.rawValue
        rule = diagnostic.rule
        message = diagnostic.message
        (line, column, offset) = Self.location(diagnostic.position)
    }

    /// Creates the finding for a file that is not a property list.
    init(_ refusal: CatalogRefusal, at position: SourcePosition) {
        severity = Diagnostic.Severity.error.rawValue
        rule = refusal.code.rawValue
        message = refusal.reason
        (line, column, offset) = Self.location(position)
    }

    private static func location(_ position: SourcePosition?) -> (Int?, Int?, Int?) {
        (position?.line, position?.column, position?.byteOffset)
    }
}
