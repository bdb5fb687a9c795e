/// Why a property list could not be read. Equal by code, reason and position.
public struct PropertyListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing is wrong. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, the same in every version.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is nothing in the file.
        public static let empty = Code("empty")
        /// The file has another format than a property list in XML or binary.
        public static let unsupportedFormat = Code("unsupported-format")
        /// The text has an encoding that is not read.
        public static let unsupportedEncoding = Code("unsupported-encoding")
        /// The XML is not well formed, or uses an entity that XML does not define.
        public static let malformedXML = Code("malformed-xml")
        /// The binary file contradicts itself or ends too early.
        public static let malformedBinary = Code("malformed-binary")
        /// The file can be read, but is no property list.
        public static let invalidStructure = Code("invalid-structure")
        /// A number, date or data value cannot be read as one.
        public static let invalidValue = Code("invalid-value")
        /// The format that is to be written cannot say it.
        public static let notRepresentable = Code("not-representable")
        /// The document type has declarations of its own.
        public static let declaration = Code("declaration")
        /// The file asks for more than ``PropertyListLimits`` allow.
        public static let limitExceeded = Code("limit-exceeded")
    }

    public let code: Code
    /// What is wrong, as the rest of a sentence: lower case, without a full stop.
    public let reason: String
    /// Where, if it can be said.
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
