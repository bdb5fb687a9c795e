import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineTestSupport

/// Content whose digest is missing in a signed catalog.
extension CatalogManagerTests {
    private static let signer = SigningKey.sample(2)

    @Test(arguments: [true, false])
    func `content without a digest is installed only if a key of the signed catalog has signed its manifest`(
        isGood: Bool
    ) async throws {
        let files = Recorder<[String: Data]>()
        let server = try await ContentServer { _, path in
            files.values.last?[path].map { ContentServer.File($0) }
        }
        let rome = try PackedRome(in: folder)
        let publisher = CatalogPublisher(catalog: try rome.catalog(on: server.url, hasDigest: false))
        let signed = try publisher.files()
        let manifest = try #require(rome.manifest)
        let key = isGood ? Self.signer : SigningKey.sample(3)
        let signature = try key.sign(manifest, trustedComment: rome.packed.manifest.trustedComment()).file
        files.record(
            rome.files.merging([
                "/catalog.plist": signed.catalog, "/catalog.plist.minisig": signed.signature,
                "/keys.plist": signed.keys, "/keys.plist.minisig": signed.keysSignature,
                "/\(rome.packed.manifestFile.lastPathComponent).minisig": signature,
            ]) { $1 })
        let manager = try await makeManager(
            catalog: .remote(
                RemoteCatalog(url: server.url.appending(path: "catalog.plist"), trust: publisher.trust())),
            content: nil)
        #expect(await manager.loadProducts() == .productsLoaded)

        #expect(await buy("rome", with: manager) == (isGood ? "charged" : "not-offered"))
        #expect(try manager.content.listings().first?.version == (isGood ? "1.0" : nil))
        #expect(server.requests.map(\.path).contains("/\(rome.packed.manifest.archive.name)") == isGood)
    }
}
