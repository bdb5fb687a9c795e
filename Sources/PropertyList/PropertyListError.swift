/// Error thrown when a property list cannot be read or written. Errors are equal if code, reason and position are.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of the error. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Name of the code. Stable across versions.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The file is empty.
        public static let empty = Code("empty")
        /// The file is neither an XML nor a binary property list.
        public static let unsupportedFormat = Code("unsupported-format")
        /// The text encoding is not supported, or the text is not valid in it.
        public static let unsupportedEncoding = Code("unsupported-encoding")
        /// The XML is not well formed, or uses an entity that is not predefined in XML.
        public static let malformedXML = Code("malformed-xml")
        /// The binary file is inconsistent or truncated.
        public static let malformedBinary = Code("malformed-binary")
        /// The file is well formed, but not a valid property list.
        public static let invalidStructure = Code("invalid-structure")
        /// A number, date or data value cannot be parsed.
        public static let invalidValue = Code("invalid-value")
        /// A value cannot be represented in the format to be written.
        public static let notRepresentable = Code("not-representable")
        /// The document type declaration has an internal subset.
        public static let declaration = Code("declaration")
        /// The file exceeds one of the ``PropertyListLimits``.
        public static let limitExceeded = Code("limit-exceeded")
    }

    public let code: Code
    /// Description of the error as part of a sentence: in lower case, without a period.
    public let reason: String
    /// Position of the error; `nil` if it is unknown.
    public let position: SourcePosition?

    public init(code: Code, reason: String, position: SourcePosition? = nil) {
        self.code = code
        self.reason = reason
        self.position = position
    }

    public var description: String {
        position.map { "\($0): \(reason)" } ?? reason
    }
}
