package import Foundation
package import SystemPackage

/// Failure of an operation on a file or folder.
package struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// A system call failed; ``FileSystemError/errno`` is its error number.
        case system
        /// The file or folder does not exist.
        case notFound
        /// A link, a device or a folder was found where a file is expected, or a folder has names that cannot be used.
        case unusable
        /// A file, a link or a device exists at the path of a folder to be created.
        case obstructed
        /// The task that was reading the file was canceled.
        case cancelled
    }

    package let kind: Kind
    /// Path of the file or folder.
    package let path: String
    /// Error number of the failed system call; `nil` if no system call failed.
    package let errno: Errno?
    /// Description of the failure, without the path.
    package let reason: String

    package init(_ kind: Kind, at url: URL, reason: String) {
        (self.kind, path, errno, self.reason) = (kind, url.relativePath, nil, reason)
    }

    package init(_ errno: Errno, at url: URL, reason: String? = nil) {
        (kind, path) = (.system, url.relativePath)
        (self.errno, self.reason) = (errno, reason ?? errno.reason)
    }

    /// Creates the error of the last system call of this thread, which has failed. The caller must not make another
    /// system call between the failure and this call.
    package init(lastAt url: URL) { self.init(Errno.last, at: url) }

    /// Converts an error of Foundation or swift-system, and adds the path of the affected file or folder.
    package init(_ error: any Error, at url: URL) {
        if let error = error as? FileSystemError {
            self = error
        } else {
            (kind, path) = (.system, url.relativePath)
            (errno, reason) = (Errno(causing: error), BoundedFile.reason(for: error))
        }
    }

    /// `true` if the file or folder does not exist.
    package var isMissing: Bool { kind == .notFound }
    /// `true` if a file or folder to be created already exists.
    package var isAboutExisting: Bool { errno == .fileExists }
    /// `true` if the volume is full, the disk quota is used up, or the file would exceed the maximum file size.
    package var isAboutSpace: Bool {
        errno.map { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains($0) } ?? false
    }

    package var description: String { "\(path): \(reason)" }
}

/// Error type of a module that ``FolderTree``, ``NewFile`` and ``FileBlocks`` can throw directly.
package protocol FileSystemFailure: Error {
    init(_ error: FileSystemError)
}

extension FileSystemError: FileSystemFailure {
    package init(_ error: FileSystemError) { self = error }
}

extension Errno {
    /// Error number of the last system call that failed on this thread.
    package static var last: Errno { Errno(rawValue: Foundation.errno) }

    /// Creates the error number of the system call that caused an error of Foundation; `nil` if no system call caused
    /// it.
    init?(causing error: any Error) {
        if let errno = error as? Errno {
            self = errno
            return
        }
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        if underlying.domain == NSPOSIXErrorDomain {
            self.init(rawValue: CInt(underlying.code))
        } else if error.domain == NSCocoaErrorDomain, let errno = Self.cocoaErrors[error.code] {
            self = errno
        } else {
            return nil
        }
    }

    /// Error numbers for the codes of Foundation's errors about files, which do not always contain one.
    private static let cocoaErrors: [Int: Errno] = [
        CocoaError.fileNoSuchFile.rawValue: .noSuchFileOrDirectory,
        CocoaError.fileReadNoSuchFile.rawValue: .noSuchFileOrDirectory,
        CocoaError.fileReadNoPermission.rawValue: .permissionDenied,
        CocoaError.fileWriteNoPermission.rawValue: .permissionDenied,
        CocoaError.fileWriteFileExists.rawValue: .fileExists,
        CocoaError.fileWriteOutOfSpace.rawValue: .noSpace,
        CocoaError.fileWriteVolumeReadOnly.rawValue: .readOnlyFileSystem,
        CocoaError.fileReadInvalidFileName.rawValue: .invalidArgument,
        CocoaError.fileWriteInvalidFileName.rawValue: .invalidArgument,
        CocoaError.fileReadUnknown.rawValue: .ioError, CocoaError.fileWriteUnknown.rawValue: .ioError,
    ]
}

extension URL {
    /// Path for system calls, without a slash at its end: with the slash, a system call would follow a link.
    package var systemPath: String {
        // Of scalars, because a slash can be one character with a mark before it, such as U+0600.
        var scalars = path(percentEncoded: false).unicodeScalars
        while scalars.count > 1, scalars.last == "/" { scalars.removeLast() }
        return String(scalars)
    }
}
