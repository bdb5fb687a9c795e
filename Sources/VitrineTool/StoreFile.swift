import Foundation
import ProductCatalog

/// A `.storekit` file that a command is given.
enum StoreFile {
    /// - Throws: ``ToolFailure`` where it is not there, cannot be read, or is no configuration.
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
