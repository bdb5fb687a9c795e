import Foundation
import VitrineNetworking
import VitrinePurchasing
import VitrineTestSupport

@testable import Vitrine

/// Devices of customers, each with a storage directory of its own, and the app's own server.
protocol ServerScene: ManagerScene {
    var stage: ServerStage { get }
}

/// Store, folder of the devices and server of a scene.
struct ServerStage: Sendable {
    let voyager: VoyagerStore
    let folder: TemporaryFolder
    let server: SampleServer

    init() async throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
        server = try await SampleServer()
    }
}

extension ServerScene {
    var voyager: VoyagerStore { stage.voyager }
    var folder: TemporaryFolder { stage.folder }
    var server: SampleServer { stage.server }

    func options(_ name: String, _ url: URL? = nil) -> ManagerOptions.Server {
        ManagerOptions.Server(url: url ?? server.url, app: VoyagerStore.bundleIdentifier, deviceName: name)
    }

    /// Creates a device that has loaded its products.
    func makeDevice(
        _ name: String, store: (any Store)? = nil, url: URL? = nil,
        choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        var options = ManagerOptions(now: { clock.now })
        options.server = self.options(name, url)
        choices(&options)
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store ?? voyager.store.launched,
            verifier: voyager.verifier(), home: home(name), options: options)
        await manager.loadProducts()
        return manager
    }

    func home(_ name: String) -> Home { Home(url: folder[name]) }

    func credentials(_ name: String) throws -> DeviceCredentials? {
        try CredentialFile(url: home(name).credentials).credentials()
    }
}
