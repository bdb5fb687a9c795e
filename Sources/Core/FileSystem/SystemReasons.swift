internal import Foundation
package import SystemPackage

extension Errno {
    /// Description of the error, as the rest of a sentence. It does not use the messages of the operating system, which
    /// differ between platforms and languages.
    package var reason: String { Self.reasons[self] ?? "the system reports error \(rawValue)" }

    private static let reasons: [Errno: String] = [
        .noSuchFileOrDirectory: "there is no such file or folder",
        .notPermitted: "access is not permitted",
        .permissionDenied: "access is not permitted",
        .fileExists: "a file or folder exists there already",
        .isDirectory: "it is a folder",
        .notDirectory: "a part of the path is not a folder",
        .directoryNotEmpty: "the folder is not empty",
        .tooManySymbolicLinkLevels: "it is a link, or the path has too many links",
        .fileNameTooLong: "the name is too long",
        .badFileDescriptor: "it is closed",
        .noSpace: "the disk is full",
        .diskQuotaExceeded: "the disk quota is used up",
        .fileTooLarge: "the file would be larger than is allowed",
        .readOnlyFileSystem: "the disk is read-only",
        .ioError: "the disk cannot be read or written",
        .resourceBusy: "it is in use",
        .textFileBusy: "it is in use",
        .improperLink: "the two paths are on different disks",
        .tooManyOpenFiles: "too many files are open",
        .tooManyOpenFilesInSystem: "too many files are open",
        .noMemory: "there is not enough memory",
        .brokenPipe: "the process that reads from the pipe has closed it",
        .noSuchAddressOrDevice: "there is no such device",
        .notSupported: "the file system does not support the operation",
        .connectionRefused: "the server refuses connections",
        .connectionReset: "the server has closed the connection",
        .connectionAbort: "the connection was closed",
        .timedOut: "the connection timed out",
        .networkUnreachable: "the network cannot be reached",
        .noRouteToHost: "the server cannot be reached",
        .hostIsDown: "the server cannot be reached",
        .networkDown: "there is no network",
        .addressNotAvailable: "the address is not available on this device",
        .invalidArgument: "the operating system does not accept the path or the operation",
    ]
}

/// Descriptions of errors of the operating system for modules that do not use swift-system.
package enum SystemReason {
    /// Returns the description of an error number, as the rest of a sentence.
    package static func of(_ number: CInt) -> String { Errno(rawValue: number).reason }
}
