import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Content that the system downloads while the app does not run.
extension CatalogManagerTests {
    /// Server with the sample guide. It sends half of the archive, and the rest when the test releases it.
    private final class GuideServer: Sendable {
        let packed: ContentPacker.Packed
        let server: ContentServer
        private let bytes: Data
        private let more: AsyncStream<Data>.Continuation

        init(in folder: URL) async throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let package = try ContentPackage(folder: Repository.samplePackages.appending(path: "Rome"))
            packed = try ContentPacker.pack(package, into: folder)
            let (archive, manifest) = (try Data(contentsOf: packed.archive), try Data(contentsOf: packed.manifestFile))
            let (pieces, more) = AsyncStream<Data>.makeStream()
            (bytes, self.more) = (archive, more)
            server = try await ContentServer({ _, path in
                ContentServer.File(path.hasSuffix(".plist") ? manifest : archive)
            }) { _, reply in
                reply.body == archive ? reply.beginning(with: archive.count / 2, then: pieces) : nil
            }
        }

        var half: Int { bytes.count / 2 }
        /// Name of the background transfer of the archive.
        var name: String { "\(packed.manifest.archive.digest) \(packed.manifest.productIdentifier)" }
        /// Number of requests for the archive. One asks, before the purchase, whether the archive is there.
        var archiveRequests: Int { server.requests.count { !$0.path.hasSuffix(".plist") } }

        func letGo() {
            more.yield(bytes.dropFirst(half))
            more.finish()
        }
    }

    private func makeManager(
        _ guide: GuideServer, _ system: SystemTransfers, isInCatalog: Bool = true
    ) async throws -> CatalogManager {
        let other = CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable)
        let rome = CatalogProduct(
            identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("rome"),
            isHosted: true,
            content: CatalogContent(
                version: "1.0", urls: [guide.server.url.appending(path: "rome.plist")],
                digest: guide.packed.manifestDigest, length: guide.packed.manifestLength))
        return try await makeManager(catalog: .catalog(Catalog(products: isInCatalog ? [other, rome] : [other]))) {
            $0.loading.transport = DefaultTransport.patient
            $0.content.backgroundSession = system
        }
    }

    /// Buys the guide, and ends the app when half of the content has arrived.
    private func leaveHalfway(
        _ guide: GuideServer, _ system: SystemTransfers, before: (CatalogManager) async throws -> Void = { _ in }
    ) async throws {
        let manager = try await makeManager(guide, system)
        await manager.loadProducts()
        async let answer = buy("rome", with: manager)
        await system.received(guide.half, of: guide.name)
        try await before(manager)
        await manager.stop()
        system.appEnds()
        #expect(await answer == "pending")
    }

    @Test(arguments: [true, false])
    func `content of a purchase is downloaded while the app is closed, and the next launch installs it`(
        hasCome: Bool
    ) async throws {
        let (guide, system) = (try await GuideServer(in: folder["server"]), try SystemTransfers())
        try await leaveHalfway(guide, system)
        #expect(system.running == [guide.name])
        guide.letGo()
        if hasCome { #expect(await system.ended() == guide.name) }
        let manager = try await makeManager(guide, system)
        await manager.loadProducts()
        await manager.contentSettled()

        #expect(try manager.content.listings().map(\.state) == [.installed])
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(guide.archiveRequests == 2)
        #expect(system.cancelled.values.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a background download that is paused or whose product left the catalog is ended at the next launch`(
        isPaused: Bool
    ) async throws {
        let (guide, system) = (try await GuideServer(in: folder["server"]), try SystemTransfers())
        let silent = try await LoopbackServer(.silence)
        try await leaveHalfway(guide, system) { manager in
            guard isPaused else { return }
            try await manager.content.pauseDownload(of: .voyager("rome"))
            #expect(system.running.isEmpty)
            // As if the process had ended before the system had heard of it.
            system.begin(silent.url, name: guide.name)
        }
        #expect(system.running.count == 1)
        let manager = try await makeManager(guide, system, isInCatalog: isPaused)
        await manager.loadProducts()

        #expect(system.running.isEmpty)
        #expect(system.cancelled.values == Array(repeating: guide.name, count: isPaused ? 2 : 1))
        #expect(manager.content.downloads.map(\.state) == (isPaused ? [.paused] : []))
    }
}
