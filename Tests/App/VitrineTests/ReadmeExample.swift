import Foundation
import Vitrine
import VitrineStoreSimulator

func buyBundle(from catalog: URL, storeConfiguration: URL, in folder: URL) async throws {
    let home = Home(url: folder)
    try SimulatedStore.create(
        in: home.store, configuration: Data(contentsOf: storeConfiguration), bundleIdentifier: "com.example.voyager")
    let store = try SimulatedStore(folder: home.store)
    let verifier = SignedDataVerifier(
        roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
        environment: .sandbox)
    let manager = try await CatalogManager(catalog: .file(catalog), store: store, verifier: verifier, home: home)

    await manager.loadProducts()
    for product in manager.products { print("\(product.title): \(product.displayPrice ?? "no price")") }
    if case .success = await manager.purchase("com.example.voyager.iberia") {
        print("Madrid is owned: \(manager.ownership(of: "com.example.voyager.madrid").isOwned)")
    }
    let restored = try await manager.restore()
    print("restored: \(restored.restored.count), owned already: \(restored.alreadyOwned.count)")
    await manager.stop()
}
