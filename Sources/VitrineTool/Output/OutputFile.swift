import FileSystem
import Foundation
import ProductCatalog

/// Writes a file that a command was asked to write.
enum OutputFile {
    /// Replaces a regular file whole, with its permissions and its owner; a link stays a link. What is no regular file, a
    /// device or a pipe, is written to.
    ///
    /// - Throws: ``ToolFailure`` 74 where that cannot be done, also for a file that is protected against writing.
    static func write(_ bytes: [UInt8], to path: String) throws(ToolFailure) {
        do {
            let url = URL(filePath: path, directoryHint: .notDirectory).resolvingSymlinksInPath()
            guard let status = FileStatus(url) else { return try DurableFile.write(Data(bytes), to: url) }
            guard access(url.systemPath, W_OK) == 0 else { throw POSIXError(.EACCES) }
            guard status.isRegularFile else {
                let file = try FileHandle(forWritingTo: URL(filePath: path, directoryHint: .notDirectory))
                try file.write(contentsOf: Data(bytes))
                return try file.close()
            }
            try DurableFile.write(Data(bytes), to: url, like: status)
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(path) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }

    /// Makes a file, of which there must be none yet.
    ///
    /// - Throws: ``ToolFailure`` 1 where there is one, 74 where it cannot be made.
    static func create(_ data: Data, at path: String, permissions: mode_t) throws(ToolFailure) {
        do {
            try DurableFile.create(
                data, at: URL(filePath: path, directoryHint: .notDirectory), permissions: permissions)
        } catch {
            let isThere = error.isAboutExisting
            throw ToolFailure(
                status: isThere ? .no : .inputOutput,
                reason: isThere
                    ? "\(path) is there already, and is not replaced"
                    : "\(path) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }
}
