import Foundation
import ProductCatalog

/// Input file of a command; `-` is standard input.
enum InputFile {
    /// - Returns: The bytes, at most one more than the limit.
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
