/// Why an image cannot be used, as the rest of a sentence.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The server could not be asked, or has not answered with an image.
        public static let fetch = Code("fetch")
        /// What came is no image of a kind that is shown, or a broken one.
        public static let notAnImage = Code("not-an-image")
        /// It has more pixels than a screen can need.
        public static let tooLarge = Code("too-large")
        /// The images of the catalog take more room than there is for them.
        public static let noRoom = Code("no-room")
        /// The cache cannot be read or written.
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
