import Foundation
import Testing
import Vitrine
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension OutageTests {
    private func launch(_ identity: RevocableIdentity) async throws -> CatalogManager {
        let clock = voyager.clock
        let verifier = SignedDataVerifier(
            roots: identity.roots, bundleIdentifier: VoyagerStore.bundleIdentifier, environment: .sandbox,
            revocation: DefaultTransport.patient)
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: identity.resigning(voyager.store),
            verifier: verifier, home: Home(url: folder["home"]),
            content: PackageFolder(url: Repository.samplePackages),
            options: ManagerOptions(now: { clock.now }))
        await manager.loadProducts()
        return manager
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: RevocableIdentity.openSSL), "OpenSSL answers in it"),
        arguments: [
            ("it fails", .reply(503)), ("it asks for later", .json(#"{"retry": true}"#)),
            ("it breaks off", .broken(after: 5, of: 900)), ("it says nothing", .reply(200)),
        ] as [(String, LoopbackServer.Answer)]
    )
    func `purchases wait while the revocation status of certificates is unavailable, and are delivered once afterwards`(
        name: String, outage: LoopbackServer.Answer
    ) async throws {
        let identity = try await RevocableIdentity()
        let before = try await launch(identity)
        #expect(await buy("lisbon", with: before) == "bought")
        #expect(await buy("coins50", with: before) == "bought")
        #expect(identity.questions == 2)
        await before.stop()

        identity.answer(with: outage)
        let during = try await launch(identity)
        #expect(await buy("porto", with: during) == "pending")
        #expect(await buy("coins500", with: during) == "pending")
        try await expectOnlyWhatWasOwned(during)
        #expect(try await unfinished == 2)
        await during.stop()

        let relaunched = try await launch(identity)
        try await expectOnlyWhatWasOwned(relaunched)
        identity.answer(with: nil)
        await relaunched.purchases.deliverUnfinished()
        try await expectEverythingOnce(relaunched)
        await relaunched.stop()
        try await expectEverythingOnce(try await launch(identity))
    }
}
