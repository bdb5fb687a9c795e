import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrineTestSupport

/// Several processes with one storage directory, and the expiry of catalogs and keys.
extension SignedCatalogLoadingTests {
    @Test(arguments: [
        GoodUntilCase(testDescription: "the catalog expires first", seconds: 60) {
            $0.expires = CatalogPublisher.date + 60
        },
        GoodUntilCase(testDescription: "its key expires first", seconds: 61) {
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.signer.publicKey, expires: CatalogPublisher.date + 61)], revoked: [],
                epoch: 1)
        },
        GoodUntilCase(testDescription: "the keys expire first", seconds: 62) {
            $0.keysExpires = CatalogPublisher.date + 62
        },
    ])
    func `with enforced signatures, nothing is sold once the catalog, its signing key or the keys file expires`(
        row: GoodUntilCase
    ) async throws {
        let publisher = CatalogPublisher().changed(row.change)
        let scene = try await scene(publisher)
        let loader = scene.loader(scene.remote(trust: publisher.trust()))
        let end = CatalogPublisher.date + row.seconds
        #expect(try await loader.load().goodUntil == end)
        scene.clock.advance(by: row.seconds - 1)
        let last = try #require(await loader.storedCatalog())
        #expect(last.goodUntil == end)
        #expect(last.sellingObstacle == nil)
        scene.clock.advance(by: 1)

        let over = try #require(await loader.storedCatalog())
        #expect(over.goodUntil == nil)
        #expect(over.sellingObstacle != nil)
        #expect(await scene.loader(scene.remote(trust: publisher.trust(.report))).storedCatalog()?.goodUntil == nil)
    }

    struct GoodUntilCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let seconds: TimeInterval
        let change: @Sendable (inout CatalogPublisher) -> Void
    }

    @Test func `a catalog cached by another process is used once the copy in memory is out of date`() async throws {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        let loader = scene.loader(remote)
        _ = try await loader.load()
        scene.clock.advance(by: 2 * 86_400)
        let renewed = CatalogPublisher().changed {
            $0.issued += 86_400
            $0.expires += 86_400
        }
        try scene.publish(renewed)
        _ = try await scene.loader(remote).load()
        let requests = scene.server.requests.count
        scene.answer(.reply(500))

        let loaded = try await loader.load()
        #expect(loaded.signature == .valid(renewed.statement))
        #expect(loaded.sellingObstacle == nil)
        #expect(loaded.failure == nil)
        #expect(scene.server.requests.count == requests)
    }

    @Test func `when two processes load catalogs at once, the older one does not overwrite the newer one`() async throws
    {
        let scene = try await scene()
        let remote = scene.remote(trust: CatalogPublisher().trust())
        let next = CatalogPublisher(catalog: PlistText.catalog(["b"])).changed { $0.version = 13 }
        // Between what the one remembers of version 12 and what it writes, the other loads version 13.
        let numbers = InterruptedNumbers(
            numbers: scene.numbers, name: "catalog-issued/1/com.example.voyager/production"
        ) {
            try scene.publish(next)
            _ = try await scene.loader(remote).load()
        }
        let clock = scene.clock
        let loader = CatalogLoader(
            source: .remote(remote, local: nil), cacheFolder: scene.folder["Cache"],
            transport: DefaultTransport.patient,
            numbers: numbers, appBuild: "1", now: { clock.now })

        #expect(try await loader.load().identifiers == [map])
        #expect(await scene.loader(remote).storedCatalog()?.identifiers == ["b"])
        #expect(await scene.loader(remote).storedCatalog()?.sellingObstacle == nil)
        #expect(try await loader.load().identifiers == ["b"])
    }
}

/// Counters that call a function once, after a given counter was increased.
private actor InterruptedNumbers: MonotonicCounters {
    private let numbers: any MonotonicCounters
    private let name: String
    private var interruption: (@Sendable () async throws -> Void)?

    init(numbers: any MonotonicCounters, name: String, interruption: @escaping @Sendable () async throws -> Void) {
        self.numbers = numbers
        self.name = name
        self.interruption = interruption
    }

    func advance(_ name: String, to value: Int64) async throws -> Int64 {
        let highest = try await numbers.advance(name, to: value)
        if name == self.name, let interruption {
            self.interruption = nil
            try await interruption()
        }
        return highest
    }

    func highest(_ name: String) async throws -> Int64? { try await numbers.highest(name) }
}
