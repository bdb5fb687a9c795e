package import Foundation

/// Reads files of unknown size, up to a limit.
package enum BoundedFile {
    /// Returns the file's bytes: at most one more than the limit, so that the caller can detect a larger file.
    package static func read(_ url: URL, limit: Int) throws(ReadFailure) -> Data {
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            return try file.read(upToCount: min(limit, Int.max - 1) + 1) ?? Data()
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw ReadFailure(isMissing: true, reason: "there is no such file")
        } catch {
            throw ReadFailure(isMissing: false, reason: reason(for: error))
        }
    }

    /// Returns the bytes of standard input: at most one more than the limit.
    package static func readStandardInput(limit: Int) throws(ReadFailure) -> Data {
        do {
            return try FileHandle.standardInput.read(upToCount: min(limit, Int.max - 1) + 1) ?? Data()
        } catch {
            throw ReadFailure(isMissing: false, reason: reason(for: error))
        }
    }

    /// Error thrown when a file cannot be read.
    package struct ReadFailure: Error {
        /// `true` if the file does not exist.
        package let isMissing: Bool
        /// Short description of the system error.
        package let reason: String
    }

    /// Returns `true` if the file does not exist or is empty.
    package static func isMissingOrEmpty(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.systemPath, &status) != 0 || status.st_size == 0
    }

    /// Returns a short description of a system error.
    package static func reason(for error: any Error) -> String {
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return underlying.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(underlying.code))) : underlying.localizedDescription
    }
}
