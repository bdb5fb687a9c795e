package import FileSystem
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

extension ContentError: FileSystemFailure {
    package init(_ error: FileSystemError) {
        switch error.problem {
        case .system: self.init(code: error.isAboutSpace ? .noSpace : .storage, reason: error.description)
        case .notFound: self.init(code: .notFound, reason: error.description)
        case .unusable: self.init(code: .invalidPackage, reason: error.description)
        case .obstructed: self.init(code: .invalidPlace, reason: error.description)
        case .cancelled: self = .installationCancelled
        }
    }

    /// Failure of the last system call. Must be created right after the call.
    init(lastAt url: URL) { self.init(FileSystemError(lastAt: url)) }

    /// An error of Foundation or of `FileSystem`.
    init(_ error: any Error, at url: URL) { self.init(FileSystemError(error, at: url)) }

    /// - Throws: `cancelled` if the task that installs was cancelled.
    static func checkCancellation() throws(ContentError) {
        if Task.isCancelled { throw installationCancelled }
    }

    private static let installationCancelled = ContentError(
        code: .cancelled, reason: "the installation was cancelled")
}

typealias FolderTree = FileSystem.FolderTree<ContentError>
typealias NewFile = FileSystem.NewFile<ContentError>
