package import Foundation
internal import SystemPackage

/// Reads files of unknown size and content.
package enum BoundedFile {
    /// Reads a file up to one byte more than the limit, so that the caller can tell that the file is too large.
    package static func read(_ url: URL, limit: Int) throws(FileSystemError) -> Data {
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            return try file.read(upToCount: min(limit, Int.max - 1) + 1) ?? Data()
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw FileSystemError(.notFound, at: url, reason: "there is no such file")
        } catch {
            throw FileSystemError(error, at: url)
        }
    }

    /// Reads standard input up to one byte more than the limit.
    package static func readStandardInput(limit: Int) throws(FileSystemError) -> Data {
        do {
            return try FileHandle.standardInput.read(upToCount: min(limit, Int.max - 1) + 1) ?? Data()
        } catch {
            throw FileSystemError(error, at: URL(filePath: "/dev/stdin"))
        }
    }

    /// Returns `true` if there is no such file, or it is empty.
    package static func isMissingOrEmpty(_ url: URL) -> Bool { FileStatus(url)?.length ?? 0 == 0 }

    /// Description of an error in a few words, the system's own where there is one.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileSystemError { return error.reason }
        if let error = error as? Errno { return error.description }
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return underlying.domain == NSPOSIXErrorDomain
            ? Errno(rawValue: CInt(underlying.code)).description : underlying.localizedDescription
    }
}
