package import Foundation

/// Reads files that may be anything.
package enum BoundedFile {
    /// The file's bytes, one more than the limit at most: whoever checks the size sees that there are too many.
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

    /// The bytes of standard input, one more than the limit at most.
    package static func readStandardInput(limit: Int) throws(ReadFailure) -> Data {
        do {
            return try FileHandle.standardInput.read(upToCount: min(limit, Int.max - 1) + 1) ?? Data()
        } catch {
            throw ReadFailure(isMissing: false, reason: reason(for: error))
        }
    }

    /// Why a file could not be read.
    package struct ReadFailure: Error {
        /// There is no such file.
        package let isMissing: Bool
        /// What the system says, in a few words.
        package let reason: String
    }

    /// There is no such file, or nothing in it.
    package static func isMissingOrEmpty(_ url: URL) -> Bool {
        var status = stat()
        return stat(url.systemPath, &status) != 0 || status.st_size == 0
    }

    /// What the system says about a failure, in a few words.
    package static func reason(for error: any Error) -> String {
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return underlying.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(underlying.code))) : underlying.localizedDescription
    }
}
