import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

/// New keys next to a catalog that is refused.
extension SignedCatalogLoadingTests {
    @Test func `a cached catalog sells nothing once a newer keys file revokes its key`()
        async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 2 * 86_400)
        let publisher = CatalogPublisher()
        try scene.publish(
            publisher.changed {
                $0.keysVersion = 2
                $0.keys = CatalogKeys(
                    keys: $0.keys.keys, revoked: [publisher.signer.publicKey.identifierText], epoch: 1)
            })

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.failure?.code == .signature)
        #expect(loaded.identifiers == [map])
        #expect(loaded.sellingObstacle != nil)
    }

    /// Returns a publisher of an invalid catalog with newer keys.
    private func refused(_ change: @Sendable (inout CatalogPublisher) -> Void) -> CatalogPublisher {
        CatalogPublisher(catalog: PlistText.document("<array><dict/></array>")).changed {
            $0.version = 13
            $0.keysVersion = 2
            $0.keysIssued += 60
            change(&$0)
        }
    }

    @Test(arguments: CatalogTrust.Mode.allCases)
    func `a newer keys file that lists the cached catalog's key is stored, even if its catalog is refused`(
        mode: CatalogTrust.Mode
    ) async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust(mode))
        let loader = scene.loader(remote)
        let first = try await loader.load()
        scene.clock.advance(by: 2 * 86_400)
        let next = refused { $0.keysExpires += 86_400 }
        try scene.publish(next)

        let loaded = try await loader.load()
        #expect(loaded.failure?.code == .hasErrors)
        #expect(loaded.origin == .cache)
        #expect(loaded.signature == .valid(CatalogPublisher().statement))
        #expect(loaded.sellingObstacle == nil)
        #expect(loaded.checkedDate == first.checkedDate)
        #expect(loaded.cacheFailure == nil)
        let stored = try #require(await scene.loader(remote).storedCatalog())
        #expect(stored.signature == loaded.signature)
        #expect(stored.sellingObstacle == nil)
        #expect(stored.checkedDate == first.checkedDate)
        #expect(try scene.cacheContent().range(of: next.files().keysSignature) != nil)
    }

    @Test func `a newer keys file with a refused catalog does not make an expired cached catalog valid again`()
        async throws
    {
        let publisher = CatalogPublisher().changed { $0.expires = CatalogPublisher.date + 3_600 }
        let scene = try await scene(publisher)
        let remote = scene.remote(trust: publisher.trust())
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 3_600)
        try scene.publish(refused { _ in })

        for loaded in [try await scene.loader(remote).load(), try #require(await scene.loader(remote).storedCatalog())]
        {
            #expect(loaded.identifiers == [map])
            #expect(loaded.sellingObstacle?.hasPrefix("the catalog expired") == true)
        }
        let cached = try scene.cacheContent()
        _ = try await scene.loader(remote).load()
        #expect(try scene.cacheContent() == cached)
    }

    @Test func `a cached catalog sells nothing once a newer keys file omits its key`()
        async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        _ = try await scene.loader(remote).load()
        let cached = try scene.cacheContent()
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(
            refused {
                $0.signer = .sample(3)
                $0.keys = CatalogKeys(
                    keys: [.init(publicKey: $0.signer.publicKey, expires: $0.keysExpires)], revoked: [], epoch: 1)
            })

        for loaded in [try await scene.loader(remote).load(), try #require(await scene.loader(remote).storedCatalog())]
        {
            #expect(loaded.identifiers == [map])
            #expect(loaded.sellingObstacle?.contains("keys.plist is dated") == true)
        }
        #expect(try scene.cacheContent() == cached)
    }

    @Test(arguments: ["/catalog.plist.minisig", "/keys.plist", "/keys.plist.minisig"])
    func `if signature errors are only reported, a confirmed cached catalog retains its earlier signature`(
        path: String
    ) async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust(.report))
        _ = try await scene.loader(remote).load()
        scene.clock.advance(by: 2 * 86_400)
        try scene.publish(CatalogPublisher(), [path: .reply(503)])

        let loaded = try await scene.loader(remote).load()
        #expect(loaded.origin == .remote)
        #expect(loaded.checkedDate == scene.clock.now)
        #expect(loaded.signature == .valid(CatalogPublisher().statement))
        let enforcing = scene.loader(scene.remote(trust: CatalogPublisher().trust()))
        #expect(await enforcing.storedCatalog()?.sellingObstacle == nil)
        #expect(await enforcing.storedCatalog()?.identifiers == [map])
    }
}
