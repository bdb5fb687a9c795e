public import VitrineSupport

/// Error thrown when a property list cannot be read or written. Errors are equal if code, reason and position are.
public typealias PropertyListError = CodedError<PropertyListErrorCode>

/// Category of ``PropertyListError``.
public enum PropertyListErrorCode: String, ErrorCode {
    /// The file of the property list is empty.
    case empty
    /// The file is neither a property list in XML or binary, nor JSON.
    case unsupportedFormat = "unsupported-format"
    /// The encoding of the file is not supported, or its bytes are not valid in the declared encoding.
    case unsupportedEncoding = "unsupported-encoding"
    /// The XML is not well formed, or uses an entity that is not predefined in XML.
    case malformedXML = "malformed-xml"
    /// The JSON does not follow RFC 8259.
    case malformedJSON = "malformed-json"
    /// The binary property list is inconsistent or truncated.
    case malformedBinary = "malformed-binary"
    /// The file is well formed, but not a valid property list.
    case invalidStructure = "invalid-structure"
    /// A number, date or data value cannot be parsed.
    case invalidValue = "invalid-value"
    /// A value cannot be represented in the format to be written.
    case notRepresentable = "not-representable"
    /// The document type declaration of the XML file has an internal subset.
    case declaration
    /// The property list exceeds one of the ``PropertyListLimits``.
    case limitExceeded = "limit-exceeded"

    public static func location(in position: SourcePosition?) -> String? { position?.description }

    public var advice: String? {
        switch self {
        case .empty: "Write a property list into the empty file."
        case .unsupportedFormat: "Save the file as a property list in XML or binary, or as JSON."
        case .unsupportedEncoding: "Save the file in UTF-8."
        case .malformedXML, .malformedJSON, .invalidStructure, .invalidValue:
            "Correct the property list at the position that the error names."
        case .malformedBinary: "Create the property list again: its file is damaged or cut off."
        case .notRepresentable: "Write the property list in a format that can represent the value, or remove the value."
        case .declaration: "Remove the internal subset from the document type declaration."
        case .limitExceeded: "Make the property list smaller, or raise the limit with PropertyListLimits."
        }
    }
}

extension PropertyListError {
    /// Position of the error in the file; `nil` if it is unknown.
    public var position: SourcePosition? { context }

    public init(code: Code, reason: String, position: SourcePosition?) {
        self.init(code: code, reason: reason, context: position)
    }
}
