import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

/// Keys that may sign content, as loaded with a catalog.
@Suite(.hangLimit) struct ContentSignersTests {
    private static let file = Data("a manifest".utf8)
    private static let (online, next) = (SigningKey.sample(2), SigningKey.sample(3))

    private func publisher() -> CatalogPublisher { CatalogPublisher(catalog: PlistText.catalog(["a"])) }

    private func key(_ key: SigningKey) -> CatalogKeys.Key {
        CatalogKeys.Key(publicKey: key.publicKey, expires: CatalogPublisher.date + 90 * 86_400)
    }

    /// Returns the reason why a key's signature of content is refused; `nil` if it is accepted.
    private func refusal(
        _ loaded: LoadedCatalog, of key: SigningKey = online, at date: Date = CatalogPublisher.date
    ) throws -> CatalogSignatureFailure.Code? {
        let signers = try #require(loaded.contentSigners)
        do throws(CatalogSignatureFailure) {
            let signature = (try? key.sign(Self.file, trustedComment: "a").file) ?? Data()
            try signers.check(signature, of: Self.file, comment: "a", at: date)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `hosted content may be signed only by keys that may sign the catalog`() async throws {
        let scene = try await LoaderScene()
        try scene.publish(publisher())
        let loaded = try await scene.loader(scene.remote(trust: publisher().trust())).load()

        #expect(try refusal(loaded) == nil)
        #expect(try refusal(loaded, of: Self.next) == .unknownKey)
        #expect(try refusal(loaded, of: publisher().root) == .unknownKey)
    }

    @Test(arguments: [CatalogTrust.Mode?.none, .report])
    func `if catalog signatures are not enforced, hosted content needs no signature`(mode: CatalogTrust.Mode?)
        async throws
    {
        let scene = try await LoaderScene()
        try scene.publish(publisher())
        let remote = scene.remote(trust: mode.map { publisher().trust($0) })

        #expect(try await scene.loader(remote).load().contentSigners == nil)
    }

    @Test func `a newer keys file replaces the keys that may sign hosted content, also after a restart`() async throws {
        let scene = try await LoaderScene()
        let remote = scene.remote(cacheDays: 0, trust: publisher().trust())
        try scene.publish(publisher())
        #expect(try refusal(try await scene.loader(remote).load()) == nil)
        try scene.publish(
            publisher().changed {
                $0.keysVersion = 2
                $0.version = 13
                $0.signer = Self.next
                $0.keys = CatalogKeys(
                    keys: [key(Self.next), key(Self.online)],
                    revoked: [Self.online.publicKey.identifierText], epoch: 1)
            })

        let loader = scene.loader(remote)
        for loaded in [try await loader.load(), try #require(await scene.loader(remote).storedCatalog())] {
            #expect(try refusal(loaded) == .unknownKey)
            #expect(try refusal(loaded, of: Self.next) == nil)
        }
    }

    @Test func `keys that sign hosted content are valid after the catalog expires, until the keys expire`()
        async throws
    {
        let scene = try await LoaderScene()
        try scene.publish(publisher())
        let remote = scene.remote(trust: publisher().trust())
        let first = try await scene.loader(remote).load()
        scene.answer(.reply(503))
        scene.clock.advance(by: 8 * 86_400)
        let expired = try await scene.loader(remote).load()

        #expect(expired.sellingObstacle != nil)
        #expect(try refusal(expired, at: scene.clock.now) == nil)
        #expect(try refusal(first, at: CatalogPublisher.date + 90 * 86_400) == .keyExpired)
    }

    @Test func `while the app's own catalog is used, the last signed catalog's keys may sign hosted content`()
        async throws
    {
        let scene = try await LoaderScene()
        let remote = scene.remote(cacheDays: 0, trust: publisher().trust())
        let local = try scene.local("b", version: 100)
        scene.answer(.reply(503))
        let alone = try await scene.loader(remote, local: local).load()
        #expect(alone.identifiers == ["b"])
        #expect(try refusal(alone) == .unknownKey)

        try scene.publish(publisher())
        let preferred = try await scene.loader(remote, local: local).load()
        #expect(preferred.identifiers == ["b"])
        #expect(try refusal(preferred) == nil)
    }
}
