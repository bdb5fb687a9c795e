package import FileSystem
public import Foundation

/// An error of reading, downloading or installing content.
public struct ContentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of the failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such package, or nothing is installed.
        public static let notFound = Code("not-found")
        /// The package or archive is invalid, or holds something that packages must not hold.
        public static let invalidPackage = Code("invalid-package")
        /// The content cannot be installed at the path: a link or a file is in the way.
        public static let invalidPlace = Code("invalid-place")
        /// Something cannot be read or written now: no permission, an I/O error.
        public static let storage = Code("storage")
        /// There is too little free space for the content.
        public static let noSpace = Code("no-space")
        /// The server cannot be reached, ended the transfer or is overloaded; it may answer later.
        public static let network = Code("network")
        /// The server has answered, and does not have the file.
        public static let server = Code("server")
        /// The received content differs from what the catalog or the manifest describes.
        public static let wrongContent = Code("wrong-content")
        /// The download or the installation was canceled. Content installed before is unchanged.
        public static let cancelled = Code("cancelled")
        /// The download is paused until it is resumed.
        public static let paused = Code("paused")
        /// The app does not permit the download now.
        public static let notAllowed = Code("not-allowed")
        /// Another process is downloading the same content.
        public static let inProgress = Code("in-progress")
    }

    public let code: Code
    /// Number of seconds after which the server may be asked again (`Retry-After`); `nil` if it named none.
    public let retryAfter: TimeInterval?
    /// Description of the failure with the path concerned.
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
