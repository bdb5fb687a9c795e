public import Foundation
package import VitrineFileSystem
public import VitrineSupport

/// An error of reading, downloading or installing content.
public typealias ContentError = CodedError<ContentErrorCode>

/// Category of a ``ContentError``.
public enum ContentErrorCode: String, ErrorCode {
    /// The package does not exist, or no content is installed at the path.
    case notFound = "not-found"
    /// The package or archive is invalid, or contains an entry that packages must not contain.
    case invalidPackage = "invalid-package"
    /// The content cannot be installed at its path, because a link or a file is in the way.
    case invalidPlace = "invalid-place"
    /// A file or folder cannot be read or written now, such as without permission or after an I/O error.
    case storage
    /// There is too little free space for the content.
    case noSpace = "no-space"
    /// The server cannot be reached, ended the transfer or is overloaded; the same request may succeed later.
    case network
    /// The server refused the request, or answered that it does not have the requested file.
    case server
    /// The received content differs from what the catalog or the manifest describes.
    case wrongContent = "wrong-content"
    /// The download or the installation was canceled. Content installed before is unchanged.
    case cancelled
    /// The download is paused until it is resumed.
    case paused
    /// The app does not permit the download now.
    case notAllowed = "not-allowed"
    /// Another process is downloading the same content.
    case inProgress = "in-progress"

    public typealias Context = TimeInterval?

    public var advice: String? {
        switch self {
        case .notFound: "Install the content, or correct the path of the package."
        case .invalidPackage: "Pack the content again."
        case .invalidPlace: "Remove the file or link that is at the path of the content."
        case .storage: "Check the permissions of the folder, then try again."
        case .noSpace: "Free space on the device, then try again."
        case .network: "Connect to the internet and try again later."
        case .server: "Put the file on the server, or correct its address in the catalog."
        case .wrongContent:
            "Upload the archive with the manifest that was packed with it, and put its digest into the catalog."
        case .cancelled: "Start the download again."
        case .paused: "Resume the download."
        case .notAllowed: "Permit downloads in the app, then try again."
        case .inProgress: "Wait until the other process that downloads the content has ended."
        }
    }
}

extension ContentError {
    /// Number of seconds until the server may be asked again (its `Retry-After` field); `nil` if the server named none.
    public var retryAfter: TimeInterval? { context }

    public init(code: Code, reason: String, retryAfter: TimeInterval?) {
        self.init(code: code, reason: reason, context: retryAfter)
    }
}

extension CodedError: FileSystemFailure where ErrorCodes == ContentErrorCode {
    package init(_ error: FileSystemError) {
        switch error.kind {
        case .system: self.init(code: error.isAboutSpace ? .noSpace : .storage, reason: error.description)
        case .notFound: self.init(code: .notFound, reason: error.description)
        case .unusable: self.init(code: .invalidPackage, reason: error.description)
        case .obstructed: self.init(code: .invalidPlace, reason: error.description)
        case .cancelled: self = .installationCancelled
        }
    }

    package static func invalidPackage(_ reason: String) -> ContentError {
        ContentError(code: .invalidPackage, reason: reason)
    }

    static func invalidPlace(_ reason: String) -> ContentError { ContentError(code: .invalidPlace, reason: reason) }

    package static func storage(_ reason: String) -> ContentError { ContentError(code: .storage, reason: reason) }

    static func wrongContent(_ reason: String) -> ContentError { ContentError(code: .wrongContent, reason: reason) }

    /// Creates the error for the system call that failed last. Must be called directly after that system call.
    package init(lastAt url: URL) { self.init(FileSystemError(lastAt: url)) }

    /// Creates the error for a failed operation of Foundation or of `FileSystem` on a file.
    package init(_ error: any Error, at url: URL) { self.init(FileSystemError(error, at: url)) }

    /// Checks that the current task, which installs content, was not cancelled.
    ///
    /// - Throws: `cancelled` if the task was cancelled.
    package static func checkCancellation() throws(ContentError) {
        if Task.isCancelled { throw installationCancelled }
    }

    private static var installationCancelled: ContentError {
        ContentError(code: .cancelled, reason: "the installation was cancelled")
    }
}

extension BoundedFile {
    /// Reads a file like ``read(_:limit:)``.
    ///
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    static func content(of file: URL, limit: Int) throws(ContentError) -> Data {
        do {
            return try read(file, limit: limit)
        } catch {
            throw .storage("\(file.relativePath): \(error.reason)")
        }
    }
}

typealias FolderTree = VitrineFileSystem.FolderTree<ContentError>
typealias NewFile = VitrineFileSystem.NewFile<ContentError>
