/// Error that explains why an image cannot be used, as the rest of a sentence.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Type of failure. More types may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// Failure to reach the server, or a response that is not an image.
        public static let fetch = Code("fetch")
        /// Data that is not an image of a supported format, or is damaged.
        public static let notAnImage = Code("not-an-image")
        /// Image with more pixels than a screen can need.
        public static let tooLarge = Code("too-large")
        /// Images of the catalog that exceed the space for them.
        public static let noRoom = Code("no-room")
        /// Failure to read or write the cache.
        public static let storage = Code("storage")
    }

    public let code: Code
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
