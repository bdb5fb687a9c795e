/// Why content could not be read or installed.
public struct ContentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such package, or nothing is installed.
        public static let notFound = Code("not-found")
        /// The package is not one, or holds what no package may hold.
        public static let invalidPackage = Code("invalid-package")
        /// The place that the content is to go to cannot be used: a link or a file stands in the way.
        public static let invalidPlace = Code("invalid-place")
        /// Something cannot be read or written now: no space, no permission, an I/O error.
        public static let storage = Code("storage")
        /// The installation was cancelled. What was installed before is untouched.
        public static let cancelled = Code("cancelled")
    }

    public let code: Code
    /// What happened, with the path that it happened to, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
