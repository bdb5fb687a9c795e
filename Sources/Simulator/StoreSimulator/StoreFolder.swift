internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Directory of a simulated store, with its files.
struct StoreFolder {
    let url: URL

    var database: URL { url.appending(path: "store.sqlite", directoryHint: .notDirectory) }

    /// Folder with the packages of hosted content.
    var content: URL { url.appending(path: "Content", directoryHint: .isDirectory) }

    /// Folder that a process locks while it delivers notifications.
    var delivery: URL { url.appending(path: "Delivery", directoryHint: .isDirectory) }

    /// Folder that a process locks while it records the store.
    var recording: URL { url.appending(path: "Recording", directoryHint: .isDirectory) }

    private var configuration: URL { url.appending(path: "Configuration.storekit", directoryHint: .notDirectory) }

    /// Creates the directory. It contains a private key, so only the owner has access.
    func create() throws(SimulatedStoreError) {
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SimulatedStoreError(
                code: .storage, reason: "the store's directory cannot be created: \(BoundedFile.reason(for: error))")
        }
    }

    func readConfiguration() throws(SimulatedStoreError) -> StoreConfiguration {
        let data: Data
        do {
            data = try BoundedFile.read(configuration, limit: StoreConfiguration.sizeLimit)
        } catch  where error.isMissing {
            throw SimulatedStoreError(code: .notFound, reason: "there is no simulated store in \(url.relativePath)")
        } catch {
            throw SimulatedStoreError(
                code: .storage, reason: "the store's configuration cannot be read: \(error.reason)")
        }
        do {
            return try StoreConfiguration(data: data)
        } catch {
            throw SimulatedStoreError(
                code: .invalidConfiguration, reason: "\(configuration.relativePath): \(error.description)")
        }
    }

    /// Parses the content of a `.storekit` file, and throws `invalidConfiguration` like ``readConfiguration()``.
    func check(_ configuration: Data) throws(SimulatedStoreError) -> StoreConfiguration {
        do {
            return try StoreConfiguration(data: configuration)
        } catch {
            throw SimulatedStoreError(code: .invalidConfiguration, reason: error.description)
        }
    }

    func writeConfiguration(_ data: Data) throws(SimulatedStoreError) {
        do {
            try DurableFile.write(data, to: configuration)
        } catch {
            throw SimulatedStoreError(
                code: .storage,
                reason: "the store's configuration cannot be written: \(BoundedFile.reason(for: error))")
        }
    }
}
