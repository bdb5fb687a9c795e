import Foundation
import VitrineAppServer
import VitrineCommandSupport
import VitrineFileSystem
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport

/// Configuration of an app server for the simulated store of a storage directory, used without a configuration file.
enum SimulatedApp {
    /// Settings of the storage directory (`vitrine.json`), as far as they are needed here.
    private struct Settings: Decodable {
        let catalog: String?
    }

    /// Returns the configuration for the app of the simulated store, with remarks about the defaults.
    ///
    /// - Parameter home: Path of the storage directory; `nil` to take the environment's, or else the default.
    /// - Throws: ``ToolFailure`` if there is no simulated store, or it cannot be used.
    static func configuration(
        home: String?, environment: [String: String]
    ) throws(ToolFailure) -> (AppServerConfiguration, remarks: [String]) {
        let named = home ?? environment["VITRINE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        let home = URL(filePath: named ?? ".vitrine", directoryHint: .isDirectory)
        let folder = home.appending(path: "Store", directoryHint: .isDirectory)
        guard FileStatus(folder) != nil else {
            throw ToolFailure(
                status: .noInput,
                reason:
                    "there is no simulated store in \(folder.relativePath): make one with 'vitrine init', or name a "
                    + "configuration with --config")
        }
        var app = try self.app(folder)
        var configuration = AppServerConfiguration()
        configuration.storage = .folder(home.appending(path: "Server", directoryHint: .isDirectory))
        var remarks = ["the app is \(app.name), of the simulated store in \(folder.relativePath)"]
        app.catalog = try catalog(home)
        remarks.append(
            app.catalog.map { "the catalog is \($0.relativePath.relativeToCurrentFolder), unless one is published" }
                ?? "no catalog was found in the home, in Catalogs or in this folder")
        configuration.apps = [app]
        return (configuration, remarks)
    }

    private static func app(_ folder: URL) throws(ToolFailure) -> ConfiguredApp {
        do {
            let store = try SimulatedStore(folder: folder)
            guard store.environment != .production else {
                throw ToolFailure(
                    status: .unusableData,
                    reason: "the simulated store says that it is production, where a server trusts only Apple: "
                        + "'vitrine store environment sandbox' changes that")
            }
            return ConfiguredApp(
                name: store.bundleIdentifier, bundleIdentifier: store.bundleIdentifier, environment: store.environment,
                roots: try TrustedRoots(pem: store.rootCertificate))
        } catch let error as ToolFailure {
            throw error
        } catch let error as any DescribedError {
            throw ToolFailure(status: .unusableData, reason: "\(folder.relativePath): \(error.description)")
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(folder.relativePath): \(error)")
        }
    }

    // MARK: Catalog

    /// Returns the catalog in the settings of the storage directory, otherwise `Catalogs/Voyager.plist`, otherwise the
    /// only property list in `Catalogs` or in the current folder; `nil` if there is none.
    private static func catalog(_ home: URL) throws(ToolFailure) -> URL? {
        if let path = try settings(home)?.catalog { return URL(filePath: path, directoryHint: .notDirectory) }
        let sample = URL(filePath: "Catalogs/Voyager.plist", directoryHint: .notDirectory)
        if FileStatus(sample)?.isRegularFile == true { return sample }
        for folder in ["Catalogs", "."] {
            let files = try propertyLists(URL(filePath: folder, directoryHint: .isDirectory))
            if files.count == 1 { return files.first }
        }
        return nil
    }

    private static func settings(_ home: URL) throws(ToolFailure) -> Settings? {
        let file = home.appending(path: "vitrine.json", directoryHint: .notDirectory)
        guard FileStatus(file) != nil else { return nil }
        do {
            return try JSONDecoder().decodeForeign(
                Settings.self, from: try BoundedFile.read(file, limit: 64 * 1024))
        } catch {
            throw ToolFailure(
                status: .unusableData, reason: "\(file.relativePath) cannot be read: \(BoundedFile.reason(for: error))")
        }
    }

    private static func propertyLists(_ folder: URL) throws(ToolFailure) -> [URL] {
        guard FileStatus(folder)?.kind == .folder else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
                .filter { $0.hasSuffix(".plist") && !$0.hasSuffix(".scenes.plist") && $0 != "keys.plist" }
                .map { folder.appending(path: $0, directoryHint: .notDirectory) }
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(folder.relativePath) cannot be read: \(BoundedFile.reason(for: error))"
            )
        }
    }
}
