import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

@testable import VitrineMigration

/// Records of other libraries, written in their formats and then imported.
@Suite(.hangLimit) struct LegacyTests {
    let folder: TemporaryFolder
    let documents: URL
    let caches: URL

    init() throws {
        folder = try TemporaryFolder()
        documents = folder["Documents"]
        caches = folder["Caches"]
        for url in [documents, caches] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
    }

    static func makeCatalog() throws -> Catalog {
        Catalog(products: [
            CatalogProduct(identifier: "lisbon", kind: .nonConsumable),
            CatalogProduct(identifier: "porto", kind: .nonConsumable),
            CatalogProduct(
                identifier: "rome", kind: .nonConsumable, localContentPath: try ContentPath("guides/rome"),
                isHosted: true),
            CatalogProduct(
                identifier: "athens", kind: .nonConsumable, localContentPath: try ContentPath("guides/athens"),
                isHosted: true),
            CatalogProduct(identifier: "coins50", kind: .consumable, storageKey: "coins", productValue: 50),
            CatalogProduct(identifier: "coins500", kind: .consumable, storageKey: "coins", productValue: 500),
            CatalogProduct(identifier: "hints", kind: .consumable, storageKey: "hints", productValue: 3),
            CatalogProduct(identifier: "season", kind: .nonRenewingSubscription),
            CatalogProduct(identifier: "anything"),
        ])
    }

    func read(
        _ library: LegacyLibrary, preferences: [String: PreferenceValue] = [:],
        keychain: (any LegacyKeychain)? = nil
    ) throws -> LegacyState {
        LegacyReader(
            preferences: MemoryPreferences(preferences), documents: documents, caches: caches,
            catalog: try Self.makeCatalog(), keychain: keychain
        ).read(library)
    }

    @Test(arguments: LegacyLibrary.allCases)
    func `a legacy library that was never used has no purchases and no errors`(library: LegacyLibrary) throws {
        #expect(try read(library, keychain: SampleKeychain()) == LegacyState())
    }

    @Test func `a pipe in place of a legacy file is reported without blocking`() throws {
        for name in ["purchaserecord.plist", "VTAInAppPurchasesCache.plist"] {
            #expect(mkfifo(documents.appending(path: name).path(), 0o600) == 0)
        }

        #expect(
            try read(.mkStoreKit).unreadable == [
                .init(source: "purchaserecord.plist in Documents", reason: "is not a regular file")
            ])
        #expect(
            try read(.vtaInAppPurchases).unreadable == [
                .init(source: "VTAInAppPurchasesCache.plist in Documents", reason: "is not a regular file")
            ])
    }
}

/// Keychain with items that a test provides.
struct SampleKeychain: LegacyKeychain {
    var transactions: String?
    var counts: [String: String] = [:]
    var failure: UnusableValue?

    func rmStoreTransactions() throws(UnusableValue) -> Data? {
        if let failure { throw failure }
        return transactions.map { Data($0.utf8) }
    }

    func storeHelperCount(of productIdentifier: String) throws(UnusableValue) -> Data? {
        if let failure { throw failure }
        return counts[productIdentifier].map { Data($0.utf8) }
    }
}
