import Foundation
import HostedContent
import Networking
import ProductCatalog
import Purchasing
import TestSupport
import Testing
import Vitrine

/// Content of a signed catalog that has no digest of it.
extension CatalogManagerTests {
    private static let signer = SigningKey.sample(2)

    @Test(arguments: [true, false])
    func `content without a digest is installed where a key of the catalog's has signed it, and else not`(
        isGood: Bool
    ) async throws {
        let files = Recorder<[String: Data]>()
        let server = try await ContentServer { _, path in
            files.values.last?[path].map { ContentServer.File($0) }
        }
        let out = folder["out"]
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        let packed = try ContentPacker.pack(
            ContentPackage(folder: Repository.samplePackages.appending(path: "Rome")), into: out)
        let catalog = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8).replacing(
            "<string>guides/rome</string>",
            with: """
                <string>guides/rome</string>
                <key>contentVersion</key><string>1.0</string>
                <key>contentURL</key><string>\(server.url.appending(path: "rome.plist").absoluteString)</string>
                """)
        let publisher = CatalogPublisher(catalog: catalog)
        let signed = try publisher.files()
        let manifest = try Data(contentsOf: packed.manifestFile)
        let key = isGood ? Self.signer : SigningKey.sample(3)
        files.record([
            "/catalog.plist": signed.catalog, "/catalog.plist.minisig": signed.signature,
            "/keys.plist": signed.keys, "/keys.plist.minisig": signed.keysSignature, "/rome.plist": manifest,
            "/rome.plist.minisig": try key.sign(manifest, trustedComment: packed.manifest.trustedComment()).file,
            "/\(packed.manifest.archive.name)": try Data(contentsOf: packed.archive),
        ])
        let manager = try await makeManager(
            catalog: .remote(
                RemoteCatalog(url: server.url.appending(path: "catalog.plist"), trust: publisher.trust())),
            content: nil)
        #expect(await manager.loadProducts() == .productsLoaded)

        #expect(await buy("rome", with: manager) == (isGood ? "charged" : "pending"))
        #expect(try manager.hostedContent().first?.version == (isGood ? "1.0" : nil))
        let error = manager.downloads.first?.error
        #expect(error?.code == (isGood ? nil : .wrongContent))
        #expect(server.requests.map(\.path).contains("/\(packed.manifest.archive.name)") == isGood)
    }
}
