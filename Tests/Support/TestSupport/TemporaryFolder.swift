package import Foundation

/// Temporary folder of a test, which is removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "vitrine-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the URL of a path in the folder.
    package subscript(path: String) -> URL { url.appending(path: path) }

    /// Returns `true` if a file or folder exists at a path in the folder.
    package func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: self[path].path(percentEncoded: false))
    }

    /// Writes a text file in the folder.
    @discardableResult
    package func write(_ text: String, to path: String) throws -> URL { try write(Data(text.utf8), to: path) }

    /// Writes a file in the folder.
    @discardableResult
    package func write(_ data: Data, to path: String) throws -> URL {
        let file = self[path]
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }
}
