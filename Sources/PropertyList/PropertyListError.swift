@_exported public import FileSystem

/// Error thrown when a property list cannot be read or written. Errors are equal if code, reason and position are.
public typealias PropertyListError = CodedError<PropertyListErrorCode>

/// Category of ``PropertyListError``.
public enum PropertyListErrorCode: String, ErrorCode {
    /// The file is empty.
    case empty
    /// The file is neither an XML nor a binary property list.
    case unsupportedFormat = "unsupported-format"
    /// The text encoding is not supported, or the text is not valid in it.
    case unsupportedEncoding = "unsupported-encoding"
    /// The XML is not well formed, or uses an entity that is not predefined in XML.
    case malformedXML = "malformed-xml"
    /// The binary file is inconsistent or truncated.
    case malformedBinary = "malformed-binary"
    /// The file is well formed, but not a valid property list.
    case invalidStructure = "invalid-structure"
    /// A number, date or data value cannot be parsed.
    case invalidValue = "invalid-value"
    /// A value cannot be represented in the format to be written.
    case notRepresentable = "not-representable"
    /// The document type declaration has an internal subset.
    case declaration
    /// The file exceeds one of the ``PropertyListLimits``.
    case limitExceeded = "limit-exceeded"

    public static func location(in position: SourcePosition?) -> String? { position?.description }

    public var advice: String? {
        switch self {
        case .empty: "Write a property list into the file."
        case .unsupportedFormat: "Save the file as an XML or binary property list."
        case .unsupportedEncoding: "Save the file in UTF-8."
        case .malformedXML, .invalidStructure, .invalidValue: "Correct the file at the named position."
        case .malformedBinary: "Create the file again: it was damaged or cut off."
        case .notRepresentable: "Choose a format that can represent the value, or remove the value."
        case .declaration: "Remove the internal subset from the document type declaration."
        case .limitExceeded: "Make the file smaller, or raise the limit with PropertyListLimits."
        }
    }
}

extension PropertyListError {
    /// Position of the error; `nil` if it is unknown.
    public var position: SourcePosition? { context }

    public init(code: Code, reason: String, position: SourcePosition?) {
        self.init(code: code, reason: reason, context: position)
    }
}
