import Foundation
import Testing
import Vitrine
import VitrineStoreSimulator
import VitrineTestSupport

private let plist = Repository.sample("Voyager.plist")
private let storekit = Repository.sample("Voyager.storekit")

// The article's example begins
@Suite struct ShopTests {
    @Test func `a bundle unlocks the products in it until it is refunded`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = Home(url: folder)
        try SimulatedStore.create(
            in: home.store, configuration: Data(contentsOf: storekit), bundleIdentifier: "com.example.voyager")
        let store = try SimulatedStore(folder: home.store)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
            environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(plist), store: store, verifier: verifier, home: home)
        await manager.loadProducts()

        guard case .success(let signed, _) = await manager.purchase("com.example.voyager.iberia") else {
            Issue.record("it was not bought")
            return
        }
        #expect(manager.ownership(of: "com.example.voyager.madrid").isOwned)

        try await store.refund(signed.payload.transactionID)
        await manager.purchases.deliverUnfinished()
        #expect(!manager.ownership(of: "com.example.voyager.madrid").isOwned)
    }
}
// The article's example ends

@Suite(.hangLimit) struct TestingArticleTests {
    @Test func `the example in the article about testing is identical to the test in this file`() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let example = try #require(
            source.firstMatch(of: /\/\/ The article's example begins\n(?<code>(?s:.*?))\/\/ The article's example ends/)
        )

        #expect(example.code.count > 1_000)
        #expect(try DocumentationCatalog.article("Testing").contains(example.code))
    }
}
