import FileSystem
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

/// Input file of a command in the `.storekit` format.
enum StoreFile {
    /// - Throws: ``ToolFailure`` if the file is missing, cannot be read, or is not a configuration.
    static func read(_ path: String) throws(ToolFailure) -> (data: Data, configuration: StoreConfiguration) {
        let data = try InputFile.read(path, limit: StoreConfiguration.sizeLimit)
        do {
            return (data, try StoreConfiguration(data: data))
        } catch {
            let place = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(place): \(error.reason)")
        }
    }
}
