import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Large guide on a web server.
struct HostedGuide {
    /// Content of the guide's only file.
    static let content = Data.random(21 << 20)
    private static let packed = Result { try HostedGuide() }

    let packed: ContentPacker.Packed
    private let files: [String: Data]

    /// Guide that all tests share, packed once.
    static var shared: HostedGuide { get throws { try packed.get() } }

    private init() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            PlistText.document(
                """
                <dict><key>IAPProductIdentifier</key><string>\(String.voyager("rome"))</string>
                <key>ContentVersion</key><string>1.0</string></dict>
                """), to: "package/ContentInfo.plist")
        try FileManager.default.createDirectory(at: folder["package/Contents"], withIntermediateDirectories: true)
        try Self.content.write(to: folder["package/Contents/tiles"])
        packed = try ContentPacker.pack(ContentPackage(folder: folder["package"]), into: folder.url)
        files = try [packed.archive, packed.manifestFile].reduce(into: [:]) { files, file in
            files["/" + file.lastPathComponent] = try Data(contentsOf: file)
        }
    }

    /// Total size of the archive and its manifest, in bytes.
    var length: Int { files.values.reduce(0) { $0 + $1.count } }

    func file(at path: String, hasRanges: Bool) -> ContentServer.File? {
        files[path].map { ContentServer.File($0, hasRanges: hasRanges) }
    }

    func product(from server: ContentServer) throws -> CatalogProduct {
        CatalogProduct(
            identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("rome"),
            isHosted: true,
            content: CatalogContent(
                version: "1.0", urls: [server.url.appending(path: packed.manifestFile.lastPathComponent)],
                digest: packed.manifestDigest, length: packed.manifestLength))
    }
}

/// Customer who buys the guide on a device of their own.
struct GuideBuyer {
    private let voyager: VoyagerStore
    private let folder: TemporaryFolder
    private let manager: CatalogManager

    init(from server: ContentServer, by transport: any HTTPTransport = DefaultTransport.patient) async throws {
        let voyager = try VoyagerStore()
        (self.voyager, folder) = (voyager, try TemporaryFolder())
        manager = try await CatalogManager(
            catalog: .catalog(Catalog(products: [HostedGuide.shared.product(from: server)])),
            store: voyager.store.launched,
            verifier: voyager.verifier(), home: Home(url: folder["home"]),
            options: ManagerOptions(transport: transport, now: { voyager.clock.now }))
        await manager.loadProducts()
    }

    /// Buys the guide.
    ///
    /// - Returns: The error of the download; `nil` if the content is installed.
    func buy(_ id: Comment) async throws -> ContentError.Code? {
        switch await manager.purchase(.voyager("rome")) {
        case .success(_, notChargedAgain: false): return nil
        case .pending(.content(let error)):
            #expect(!error.reason.isEmpty, id)
            try await expectUnfinished(id)
            return try #require(manager.content.downloads.first?.error?.code, id)
        case let answer:
            Issue.record("\(id): \(answer)")
            return nil
        }
    }

    /// Delivers the unfinished purchase after an hour.
    func retry() async {
        voyager.clock.advance(by: 3_600)
        await manager.purchases.deliverUnfinished()
    }

    private func expectUnfinished(_ id: Comment) async throws {
        #expect(try await voyager.store.unfinishedTransactions().count == 1, id)
        #expect(try manager.content.listings().map(\.state) == [.notInstalled], id)
        #expect(try !names.contains("rome"), id)
    }

    /// Expects that the content is installed completely, that no temporary files remain, and that the customer was
    /// charged once.
    func expectInstalled(_ id: Comment) async throws {
        let tiles = try manager.content.url(for: .voyager("rome")).appending(path: "tiles")
        #expect(try Data(contentsOf: tiles) == HostedGuide.content, id)
        #expect(try names == ["CACHEDIR.TAG", "rome"], id)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty, id)
        #expect(try await voyager.store.transactions().count == 1, id)
        await manager.stop()
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder["home/HostedContent"].path()).sorted()
        }
    }
}
