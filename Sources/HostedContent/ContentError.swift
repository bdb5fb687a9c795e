public import Foundation

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
        /// Something cannot be read or written now: no permission, an I/O error.
        public static let storage = Code("storage")
        /// There is no room for the content.
        public static let noSpace = Code("no-space")
        /// The server cannot be reached, breaks off or is overloaded: it may answer later.
        public static let network = Code("network")
        /// The server answers, and does not have what is asked for.
        public static let server = Code("server")
        /// What has come is not what the catalog or the manifest promises.
        public static let wrongContent = Code("wrong-content")
        /// The download or the installation was cancelled. What was installed before is untouched.
        public static let cancelled = Code("cancelled")
        /// The download is paused, and goes on when it is resumed.
        public static let paused = Code("paused")
        /// The app does not want the content fetched now.
        public static let notAllowed = Code("not-allowed")
        /// Another process is downloading the same content.
        public static let inProgress = Code("in-progress")
    }

    public let code: Code
    /// For how many seconds a server does not want to be asked again; `nil` where it does not say.
    public let retryAfter: TimeInterval?
    /// What happened, with the path that it happened to, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String, retryAfter: TimeInterval? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    public var description: String { reason }
}
