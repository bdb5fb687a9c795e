internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator

/// Session of a simulated customer in a previewed shop, with a storage directory, a simulated store and a manager.
final class PreviewSession: Sendable {
    /// Files and settings of a preview session.
    struct Setup: Sendable {
        let catalog: PreviewCatalog
        let store: StoreSource
        /// Folder with packages of hosted content.
        let content: URL?
        /// Folder of the catalog, with images and content that is not hosted.
        let bundledFiles: URL
        let clockStart: Date
        let seed: UInt64
        /// Name of the catalog file.
        let catalogName: String
    }

    let folder: URL
    let store: SimulatedStore
    let manager: CatalogManager
    let setup: Setup
    private let catalogFile: URL
    private let tally: EventTally

    private static let bundleIdentifier = "com.example.app"

    private init(
        folder: URL, store: SimulatedStore, manager: CatalogManager, setup: Setup, catalogFile: URL
    ) {
        self.folder = folder
        self.store = store
        self.manager = manager
        self.setup = setup
        self.catalogFile = catalogFile
        tally = manager.eventTally()
    }

    /// Creates a storage directory with a simulated store, and loads the products as an app does at launch.
    ///
    /// - Parameter folder: Path of the storage directory, which must not exist yet.
    static func open(_ setup: Setup, in folder: URL) async throws(PreviewError) -> PreviewSession {
        do {
            let home = Home(url: folder.appending(path: "Home", directoryHint: .isDirectory))
            try home.create()
            let catalogFile = folder.appending(path: "Catalog.plist", directoryHint: .notDirectory)
            try DurableFile.write(setup.catalog.data, to: catalogFile)
            let start = setup.clockStart
            try SimulatedStore.create(
                in: home.store, configuration: setup.store.data, bundleIdentifier: bundleIdentifier, now: { start },
                seed: setup.seed)
            let store = try SimulatedStore(folder: home.store, now: { start })
            try await store.useVirtualClock()
            let manager = try await CatalogManager(
                catalog: .file(catalogFile), store: store, verifier: verifier(of: store), home: home,
                content: setup.content.map { PackageFolder(url: $0) }, options: options(setup, store))
            let session = PreviewSession(
                folder: folder, store: store, manager: manager, setup: setup, catalogFile: catalogFile)
            await manager.loadProducts()
            await manager.contentSettled()
            return session
        } catch {
            throw PreviewError(
                code: .storage, reason: "the temporary folder of the preview cannot be used: \(error)")
        }
    }

    private static func verifier(of store: SimulatedStore) throws -> SignedDataVerifier {
        let clock = store.clock
        return SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
            environment: .sandbox, now: { clock.now })
    }

    private static func options(_ setup: Setup, _ store: SimulatedStore) -> ManagerOptions {
        let clock = store.clock
        var options = ManagerOptions()
        options.clock = ManagerOptions.Clock(
            now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
        options.languages = [setup.store.configuration.language]
        options.appVersion = nil
        options.bundledFiles = setup.bundledFiles
        options.purchases.sandboxOriginalVersion = .asSigned
        options.content.resumesDownloads = false
        options.content.replacementForServers = AbsentContent()
        options.images.areFetched = false
        options.loading.refreshInterval = nil
        return options
    }

    /// Loads a changed catalog, as an app loads an update.
    func load(_ catalog: PreviewCatalog) async throws(PreviewError) {
        do {
            try DurableFile.write(catalog.data, to: catalogFile)
        } catch {
            throw PreviewError(code: .storage, reason: error.description)
        }
        await manager.loadProducts()
        await manager.contentSettled()
    }

    /// Returns descriptions of the events since the last call.
    func drainEvents() -> [String] { ObservedEvents.texts(tally.drain()) }

    /// Ends the session and removes its folder.
    func close() async {
        await manager.stop()
        // If the folder cannot be removed now, it is removed with the temporary folder of the preview.
        try? FileManager.default.removeItem(at: folder)
    }
}
