import Foundation
import Testing
import Vitrine
import VitrineStoreSimulator
import VitrineTestSupport

/// Example of the README, which is the file `ReadmeExample.swift` and is compiled here.
@Suite(.hangLimit) struct ReadmeTests {
    @Test func `the example in the README is identical to its source file`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ReadmeExample.swift")
        let example = try String(contentsOf: file, encoding: .utf8)
        let readme = try String(contentsOf: Repository.file("README.md"), encoding: .utf8)

        #expect(readme.contains("```swift\n\(example)```\n"))
    }

    @Test func `the README's example buys a bundle and owns the products in it`() async throws {
        let folder = try TemporaryFolder()
        try await buyBundle(
            from: Repository.sample("Voyager.plist"), storeConfiguration: Repository.sample("Voyager.storekit"),
            in: folder["home"])

        let home = Home(url: folder["home"])
        let store = try SimulatedStore(folder: home.store)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
            environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: verifier, home: home)
        await manager.loadProducts()
        #expect(manager.ownership(of: "com.example.voyager.madrid").isOwned)
        await manager.stop()
    }
}
