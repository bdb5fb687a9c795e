import FileSystem
import Foundation
import ProductCatalog

/// A file that a command is given; `-` is standard input.
enum InputFile {
    /// - Returns: The bytes, one more than the limit at most.
    static func read(_ path: String, limit: Int) throws(ToolFailure) -> Data {
        do {
            return path == "-"
                ? try BoundedFile.readStandardInput(limit: limit)
                : try BoundedFile.read(URL(filePath: path, directoryHint: .notDirectory), limit: limit)
        } catch {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(path): \(error.reason)")
        }
    }
}
