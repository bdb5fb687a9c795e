import Foundation
import StoreSimulator
import TestSupport
import Testing
import Vitrine

@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
    /// The README's example, line for line.
    private func sell(from plist: URL, in home: Home, content packages: URL, say print: (String) -> Void) async throws {
        // README begins
        let store = try SimulatedStore(folder: home.store)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate),
            bundleIdentifier: store.bundleIdentifier, environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(plist), store: store, verifier: verifier, home: home,
            content: PackageFolder(url: packages))
        await manager.loadProducts()
        for product in manager.products { print("\(product.title): \(product.displayPrice ?? "")") }
        if case .success = await manager.purchase("com.example.voyager.everything") {
            print("\(manager.ownership(of: "com.example.voyager.madrid"))")
        }
        // README ends
    }

    @Test func `the example does what the README says`() async throws {
        let folder = try TemporaryFolder()
        let home = Home(url: folder["home"])
        try SimulatedStore.create(
            in: home.store, configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: "com.example.voyager")
        var said: [String] = []
        try await sell(
            from: Repository.sample("Voyager.plist"), in: home, content: Repository.samplePackages
        ) { said.append($0) }

        #expect(said.first == "Lisbon Guide: $4.99")
        #expect(
            said.last
                == #"owned(because: [Entitlements.Ownership.Reason.bundle(identifier: "com.example.voyager.iberia")])"#)
    }

    @Test func `the example is the one in the README`() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let readme = try String(contentsOf: Repository.file("README.md"), encoding: .utf8)
        let lines = source.split(separator: "\n").drop { !$0.contains("// README begins") }.dropFirst()
            .prefix { !$0.contains("// README ends") }

        #expect(lines.count > 10)
        for line in lines { #expect(readme.contains(line.dropFirst(8)), "\(line)") }
    }
}
