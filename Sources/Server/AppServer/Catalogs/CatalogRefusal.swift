internal import Foundation
internal import HTTPTypes
internal import Hummingbird
package import VitrineCatalog
package import VitrinePropertyList
package import VitrineSupport

/// Error of a catalog that is not published.
package typealias CatalogRefusal = CodedError<CatalogRefusalCode>

/// Category of ``CatalogRefusal``.
package enum CatalogRefusalCode: String, ErrorCode {
    /// The server has no app of the name.
    case unknownApp = "not-found"
    /// A file is missing, or has another name than those of a catalog.
    case missingFile = "missing-file"
    case tooLarge = "too-large"
    case notAPropertyList = "not-a-property-list"
    /// The catalog has errors, which are the findings, or no products.
    case hasErrors = "has-errors"
    /// The signature is missing or not valid.
    case signature
    /// A newer catalog, or a newer file of keys, is published.
    case older
    /// The database cannot be used now.
    case unavailable

    /// Findings about the catalog.
    package struct Findings: Hashable, Sendable {
        package var diagnostics: [Diagnostic] = []
        /// Place at which the file is not a property list.
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

    /// Status of the answer that says so.
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

/// JSON document of what was found in a catalog.
struct FindingDocument: Encodable {
    let severity: String
    let rule: String
    let message: String
    let line, column: Int?
    /// Number of bytes before the place in a binary file.
    let offset: Int?

    init(_ diagnostic: Diagnostic) {
        severity = diagnostic.severity.rawValue
        rule = diagnostic.rule
        message = diagnostic.message
        (line, column, offset) = Self.place(diagnostic.position)
    }

    /// Creates the finding of a file that is no property list.
    init(_ refusal: CatalogRefusal, at position: SourcePosition) {
        severity = Diagnostic.Severity.error.rawValue
        rule = refusal.code.rawValue
        message = refusal.reason
        (line, column, offset) = Self.place(position)
    }

    private static func place(_ position: SourcePosition?) -> (Int?, Int?, Int?) {
        (position?.line, position?.column, position?.byteOffset)
    }
}
