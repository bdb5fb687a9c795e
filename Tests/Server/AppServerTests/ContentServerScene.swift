import Foundation
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// The app's own server in a process of its own, with the content of a product, and the devices of the store's customer.
struct ContentServerScene {
    static let rome = "com.example.voyager.rome"
    private static let path = "v1/apps/\(ServedApps.app)/content"

    let store: SimulatedStore
    let packed: ContentPacker.Packed
    private let folder: TemporaryFolder
    private let configuration: URL

    /// Packs the content, and writes the configuration of the server.
    ///
    /// - Parameter storage: Key and value of the configuration for the database.
    init(in folder: TemporaryFolder, storage: String = "<key>data</key><string>data</string>") async throws {
        self.folder = folder
        store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: ServedApps.app,
            environment: .sandbox, seed: 7)
        // The customer has the app, and the server knows both devices by what the store has signed about that.
        try await store.setOriginalPurchase(OriginalPurchase(version: "900", date: Date(), platform: .iOS))
        try FileManager.default.createDirectory(at: folder["content"], withIntermediateDirectories: true)
        packed = try ContentPacker.pack(
            ContentPackage(folder: Repository.samplePackages.appending(component: "Rome")), into: folder["content"])
        configuration = folder["server.plist"]
        try folder.write(catalog(on: "https://shop.example/\(Self.path)"), to: "served.plist")
        try folder.write(store.rootCertificate, to: "root.pem")
        try folder.write(
            PlistText.document(
                """
                <dict>\(storage)<key>apps</key><array><dict>
                <key>bundleIdentifier</key><string>\(ServedApps.app)</string>
                <key>environment</key><string>Sandbox</string>
                <key>roots</key><array><string>root.pem</string></array>
                <key>catalog</key><string>served.plist</string>
                <key>content</key><string>content</string>
                </dict></array></dict>
                """), to: "server.plist")
    }

    private func catalog(on url: String) throws -> String {
        try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8).replacing(
            "<string>guides/rome</string>",
            with: """
                <string>guides/rome</string>
                <key>contentVersion</key><string>\(packed.manifest.version)</string>
                <key>contentDigest</key><string>sha256:\(packed.manifestDigest)</string>
                <key>contentURL</key><string>\(url)/\(packed.manifestFile.lastPathComponent)</string>
                """)
    }

    /// Starts the server; a restart uses the port of the first start.
    func start(port: Int = 0) throws -> ServerProcess {
        try ServerProcess(configuration, in: folder.url, port: port)
    }

    /// Returns the address of the content's manifest on a server.
    func manifest(on server: ServerProcess) -> URL {
        server.url.appending(path: Self.path).appending(path: packed.manifestFile.lastPathComponent)
    }

    /// Creates a device of the store's customer, whose catalog names the content on a server.
    func makeDevice(_ name: String, on server: ServerProcess) async throws -> CatalogManager {
        let file = try folder.write(
            catalog(on: server.url.appending(path: Self.path).absoluteString), to: "\(name).plist")
        return try await CatalogManager.sample(
            name, in: folder, try store.device(name), at: server.url, catalog: file
        ) { Date() }
    }
}

extension CatalogManager {
    /// Creates a manager of the sample app on a device, with the app's own server.
    static func sample(
        _ name: String, in folder: TemporaryFolder, _ store: SimulatedStore, at url: URL,
        catalog: URL = Repository.sample("Voyager.plist"), transport: any HTTPTransport = DefaultTransport.patient,
        now: @escaping @Sendable () -> Date
    ) async throws -> CatalogManager {
        var options = ManagerOptions()
        options.languages = ["en"]
        options.now = now
        options.loading.schedule = .never
        options.loading.transport = DefaultTransport.patient
        options.server = ManagerOptions.Server(url: url, app: ServedApps.app, deviceName: name)
        options.server?.transport = transport
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: ServedApps.app,
            environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(catalog), store: store, verifier: verifier, home: Home(url: folder[name]), options: options)
        await manager.loadProducts()
        return manager
    }
}
