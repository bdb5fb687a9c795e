import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    private var home: Home { Home(url: folder["home"]) }

    private func states(_ manager: CatalogManager) throws -> [ContentState] {
        try manager.content.listings().map(\.state)
    }

    @Test func `the content of a product is installed when the product is bought`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(try states(manager) == [.notOwned, .notOwned])
        #expect(await buy("rome", with: manager) == "charged")

        let rome = try #require(try manager.content.listings().first)
        #expect(rome.state == .installed)
        #expect(rome.version == "1.0")
        #expect(rome.path.description == "guides/rome")
        let url = try manager.content.url(for: .voyager("rome"))
        #expect(url.path() == home.hostedContent.appending(path: "guides/rome").path())
        #expect(
            try String(contentsOf: url.appending(path: "guide.md"), encoding: .utf8).hasPrefix("# Rome\n"))
        #expect(rome.size == (try directorySize(Repository.samplePackages.appending(path: "Rome/Contents"))))
    }

    private func directorySize(_ url: URL) throws -> Int {
        let files = try FileManager.default.subpathsOfDirectory(atPath: url.path())
        return try files.reduce(0) { size, path in
            let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: path).path())
            return size + (attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0)
        }
    }

    @Test func `buying a bundle installs the content of newly unlocked products`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("rome", with: manager)
        let events = try await events(of: manager) { #expect(await buy("everything", with: manager) == "charged") }

        #expect(try states(manager) == [.installed, .installed])
        let installed = events.compactMap { event -> [String]? in
            if case .transaction(.contentInstalled(_, let products)) = event { products } else { nil }
        }
        #expect(installed == [[.voyager("athens")]])
    }

    @Test func `the content of a bundle is no longer shown as installed after the refund of the bundle`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("everything", with: manager) == "charged")
        let before = try #require(try listing("everything", of: manager).content)
        #expect(before.isComplete && before.count > 1)
        #expect(before.description == "content installed")

        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()

        let after = try #require(try listing("everything", of: manager).content)
        #expect((after.count, after.installedCount, after.fraction) == (before.count, 0, 0))
        #expect(after.description == "content installed for 0 of \(before.count) products")
        #expect(try manager.content.listings().allSatisfy { $0.state == .withheld })
    }

    @Test func `content of a refunded product remains installed but is withheld`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("rome", with: manager)
        _ = await buy("everything", with: manager)
        try await voyager.store.refund("2")
        await manager.purchases.deliverUnfinished()

        #expect(try states(manager) == [.installed, .withheld])
        #expect(throws: Never.self) { try manager.content.url(for: .voyager("rome")) }
        let error = #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("athens")) }
        #expect(error?.code == .notOwned)
        await #expect(throws: OwnedContentError.self) { try await manager.content.download(for: .voyager("athens")) }
        let athens = home.hostedContent.appending(path: "guides/athens/guide.md")
        #expect(FileManager.default.fileExists(atPath: athens.path()))
    }

    @Test func `a product without a content package is not offered, nor is a bundle that contains it`() async throws {
        let packages = PackageFolder(url: folder["packages"])
        try FileManager.default.createDirectory(at: packages.url, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Repository.samplePackages.appending(path: "Rome"), to: packages.url.appending(path: "Rome"))
        let manager = try await makeManager(content: packages)
        await manager.loadProducts()

        #expect(try listing("rome", of: manager).isOffered)
        let noContent = Offer.notOffered(.noContentURL(product: .voyager("athens")))
        #expect(try listing("athens", of: manager).offer == noContent)
        #expect(try listing("everything", of: manager).offer == noContent)
        #expect(try listing("iberia", of: manager).isOffered)
        #expect(await buy("everything", with: manager) == "not-offered")
    }

    /// Adds a symbolic link, which packages must not contain, to a package.
    private func addLink(to packages: PackageFolder) throws -> URL {
        let link = packages.url.appending(path: "Rome/Contents/passwd")
        try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "/etc/passwd")
        return link
    }

    /// Returns a store that adds a symbolic link to a package before each purchase.
    private func storeThatAddsLink(to packages: PackageFolder) -> InterceptedStore {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options async throws(StoreError) in
            #expect(throws: Never.self) { try addLink(to: packages) }
            return try await base.purchase(identifier, options: options)
        }
        return store
    }

    @Test func `a product whose content package cannot be opened is not sold`() async throws {
        let packages = PackageFolder(url: folder["packages"])
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages.url)
        let manager = try await makeManager(content: packages)
        await manager.loadProducts()
        let link = try addLink(to: packages)
        for name in ["rome", "everything"] {
            guard case .failed(let failure) = await manager.purchase(.voyager(name)) else {
                Issue.record("\(name) was sold")
                return
            }
            #expect(failure.code == .notOffered)
            #expect(failure.reason.hasSuffix("Rome/Contents/passwd is a symbolic link"))
        }
        #expect(try await voyager.store.transactions().isEmpty)

        try FileManager.default.removeItem(at: link)
        #expect(await buy("rome", with: manager) == "charged")
    }

    @Test func `a content package damaged during a purchase leaves the purchase pending, and is tried again`()
        async throws
    {
        let packages = PackageFolder(url: folder["packages"])
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages.url)
        let manager = try await makeManager(store: storeThatAddsLink(to: packages), content: packages)
        await manager.loadProducts()
        let link = packages.url.appending(path: "Rome/Contents/passwd")

        guard case .pending(.content(let error)) = await manager.purchase(.voyager("rome")) else {
            Issue.record("it was not pending")
            return
        }
        #expect(error.reason.hasSuffix("Rome/Contents/passwd is a symbolic link"))
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
        #expect(try states(manager) == [.notInstalled, .notOwned])
        #expect(try await voyager.store.unfinishedTransactions().count == 1)

        try FileManager.default.removeItem(at: link)
        await manager.purchases.deliverUnfinished()
        #expect(try states(manager) == [.installed, .notOwned])
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a new device downloads content of restored products only on request`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("everything", with: first)
        try FileManager.default.removeItem(at: home.url)
        let second = try await makeManager()
        await second.loadProducts()
        _ = try await second.restore()
        #expect(try states(second) == [.notInstalled, .notInstalled])
        let error = #expect(throws: OwnedContentError.self) { try second.content.url(for: .voyager("rome")) }
        #expect(error?.code == .notInstalled)

        let url = try await second.content.download(for: .voyager("rome"))
        #expect(try second.content.url(for: .voyager("rome")) == url)
        #expect(try states(second) == [.installed, .notInstalled])
    }

    @Test(
        arguments: [
            ("lisbon", OwnedContentError.Code.notHosted), ("rome", .notOwned), ("unknown", .notInCatalog),
        ]
    )
    func `a request for unavailable content reports the reason`(name: String, code: OwnedContentError.Code) async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(#expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager(name)) }?.code == code)
        let error = await #expect(throws: OwnedContentError.self) {
            try await manager.content.download(for: .voyager(name))
        }
        #expect(error?.code == code)
    }

    @Test func `two purchased bundles that wait for the same content are finished only once it is installed`()
        async throws
    {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("rome"), kind: .nonConsumable, localContentPath: try ContentPath("rome"),
                isHosted: true),
            CatalogProduct(
                identifier: .voyager("iberia"), kind: .nonConsumable, childProducts: [.voyager("rome")]),
            CatalogProduct(
                identifier: .voyager("everything"), kind: .nonConsumable, childProducts: [.voyager("rome")]),
        ])
        let packages = PackageFolder(url: folder["packages"])
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages.url)
        let manager = try await makeManager(
            catalog: .catalog(catalog), store: storeThatAddsLink(to: packages), content: packages)
        await manager.loadProducts()
        let link = packages.url.appending(path: "Rome/Contents/passwd")
        #expect(await buy("iberia", with: manager) == "pending")
        try FileManager.default.removeItem(at: link)
        #expect(await buy("everything", with: manager) == "pending")
        #expect(try await voyager.store.unfinishedTransactions().map(\.id) == ["1", "2"])

        try FileManager.default.removeItem(at: link)
        await manager.purchases.deliverUnfinished()
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(throws: Never.self) { try manager.content.url(for: .voyager("rome")) }
    }

    @Test func `an unfinished purchase of a product that the app has already granted is finished`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        for name in ["rome", "lisbon"] {
            try await manager.unlock(.voyager(name))
            _ = try await voyager.store.purchase(.voyager(name), quantity: 1)
        }
        await manager.purchases.deliverUnfinished()

        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(try states(manager) == [.installed, .notOwned])
    }

    @Test func `a purchase of a bundle remains unfinished while a catalog error excludes a product of the bundle`()
        async throws
    {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let file = try folder.write(text, to: "catalog.plist")
        var store = InterceptedStore(voyager.store)
        store.onFinish = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        let first = try await makeManager(catalog: .file(file), store: store)
        await first.loadProducts()
        _ = await buy("everything", with: first)
        try FileManager.default.removeItem(at: home.hostedContent)
        try folder.write(
            text.replacing("<string>guides/rome</string>", with: "<string>.</string>"), to: "catalog.plist")
        let second = try await makeManager(catalog: .file(file))
        await second.loadProducts()
        #expect(try await voyager.store.unfinishedTransactions().count == 1)

        try folder.write(text, to: "catalog.plist")
        await second.loadProducts()
        // A load does not wait for content.
        await second.purchases.deliverUnfinished()
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(try states(second) == [.installed, .installed])
    }

    @Test func `a consumable has no hosted content, even if the catalog states a content path`() async throws {
        let coins = CatalogProduct(
            identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: 50,
            localContentPath: try ContentPath("coins"), isHosted: true)
        let manager = try await makeManager(catalog: .catalog(Catalog(products: [coins])))
        await manager.loadProducts()

        #expect(manager.catalog.current?.diagnostics.map(\.severity) == [.warning])
        #expect(await buy("coins50", with: manager) == "charged")
        #expect(try manager.content.listings().isEmpty)
    }

    @Test func `a product whose content cannot be installed is not offered`() async throws {
        try folder.write("a file", to: "home/HostedContent")
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(try listing("rome", of: manager).offer == .notOffered(.noContent(product: .voyager("rome"))))
        #expect(try listing("lisbon", of: manager).isOffered)
    }

    @Test func `while ownership is unknown, installed content is available unless a purchase was refunded`()
        async throws
    {
        let file = try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        try await manager.unlock(.voyager("everything"))
        for guide in ["rome", "athens"] { try await manager.content.download(for: .voyager(guide)) }
        _ = await buy("coins50", with: manager)
        try folder.write(
            String(contentsOf: file, encoding: .utf8)
                .replacing("everything.png</string>", with: "x</string><key>type</key><integer>1</integer>"),
            to: "catalog.plist")
        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("rome")) == .unknown(.incompleteCatalog(owned: .voyager("everything"))))
        #expect(throws: Never.self) { try manager.content.url(for: .voyager("rome")) }
        #expect(try states(manager) == [.installed, .installed])
        #expect(try listing("rome", of: manager).content?.state == .installed)

        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        #expect(try listing("rome", of: manager).content?.state == .ownershipUnknown)
        let error = #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
        #expect(error?.code == .ownershipUnknown)
        #expect(try states(manager) == [.ownershipUnknown, .ownershipUnknown])
    }

    @Test func `without a catalog, ownership of a product's content is unknown`() async throws {
        let manager = try await makeManager()
        let error = #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
        #expect(error?.code == .ownershipUnknown)
    }

    @Test func `a product has no content while the files at its path belong to another product`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("rome", with: manager)
        let info = home.hostedContent.appending(path: "guides/rome/.ContentInfo.plist")
        try String(contentsOf: info, encoding: .utf8).replacing("voyager.rome", with: "voyager.paris")
            .write(to: info, atomically: false, encoding: .utf8)

        #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
        #expect(try states(manager).first == .notInstalled)
    }

    @Test func `staging files of a killed process are removed when products are loaded`() async throws {
        try folder.write("half", to: "home/HostedContent/.staging/abandoned/content/guide.md")
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(
            try FileManager.default.contentsOfDirectory(atPath: home.hostedContent.path()) == ["CACHEDIR.TAG"])
    }
}
