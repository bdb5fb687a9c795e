import Foundation
import Testing
import Vitrine
import VitrineStoreSimulator
import VitrineTestSupport

private let plist = Repository.sample("Voyager.plist")
private let storekit = Repository.sample("Voyager.storekit")

// The article's example begins
@Suite struct SharedWalletTests {
    @Test func `coins bought on one device reach the other, and leased coins are spent by one device alone`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let shared = folder.appending(path: "Shared", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        let phone = try await device("phone", in: folder)
        let tablet = try await device("tablet", in: folder)
        let sharedFolder = ExchangeFolder(url: shared)
        let key = try LedgerSealKey(Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }))
        let (onPhone, onTablet) = (
            ExchangeOptions(key: key, name: "phone"), ExchangeOptions(key: key, name: "tablet")
        )

        // Bought on the phone, in the wallet of the tablet.
        _ = await phone.purchase("com.example.voyager.coins50")
        _ = try await phone.devices.exchange(at: sharedFolder, onPhone)
        _ = try await tablet.devices.exchange(at: sharedFolder, onTablet)
        #expect(tablet.wallets.balance(for: "coins") == .known(50))

        // Both are offline, and spend more than there is.
        try await phone.wallets.spend(40, from: "coins", token: "a map")
        try await tablet.wallets.spend(30, from: "coins", token: "another map")
        _ = try await phone.devices.exchange(at: sharedFolder, onPhone)
        let report = try await tablet.devices.exchange(at: sharedFolder, onTablet)
        #expect(report.adjusted.map(\.overdrawn) == [20])
        _ = try await phone.devices.exchange(at: sharedFolder, onPhone)
        for device in [phone, tablet] { #expect(device.wallets.balance(for: "coins") == .known(0)) }

        // Units that are leased are spent by one device alone.
        _ = await phone.purchase("com.example.voyager.coins50")
        let nextWeek = Date(timeIntervalSinceNow: 7 * 86_400)
        try await phone.devices.lease(20, of: "coins", token: "the trip", until: nextWeek, at: sharedFolder, onPhone)
        _ = try await tablet.devices.exchange(at: sharedFolder, onTablet)
        await #expect(throws: LedgerError.self) {
            try await tablet.wallets.spend(31, from: "coins", token: "too much")
        }
        try await phone.devices.spendLeased(5, from: "coins", token: "offline")
        #expect(try await phone.devices.leasedUnits(of: "coins") == 15)
        try await phone.devices.release("the trip", at: sharedFolder, onPhone)
        _ = try await tablet.devices.exchange(at: sharedFolder, onTablet)
        try await tablet.wallets.spend(31, from: "coins", token: "not too much")
        #expect(try await tablet.devices.all().map(\.name) == ["tablet", "phone"])
    }

    /// Creates a device of the customer, with a storage directory of its own and the store that all devices share.
    private func device(_ name: String, in folder: URL) async throws -> CatalogManager {
        let storeFolder = folder.appending(path: "Store", directoryHint: .isDirectory)
        if !FileManager.default.fileExists(atPath: storeFolder.path()) {
            try SimulatedStore.create(
                in: storeFolder, configuration: Data(contentsOf: storekit), bundleIdentifier: "com.example.voyager")
        }
        let store = try SimulatedStore(folder: storeFolder)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
            environment: .sandbox)
        let manager = try await CatalogManager(
            catalog: .file(plist), store: store, verifier: verifier,
            home: Home(url: folder.appending(path: name, directoryHint: .isDirectory)))
        await manager.loadProducts()
        return manager
    }
}
// The article's example ends

@Suite(.hangLimit) struct SeveralDevicesArticleTests {
    @Test func `the example in the article about several devices is identical to the test in this file`() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let example = try #require(
            source.firstMatch(of: /\/\/ The article's example begins\n(?<code>(?s:.*?))\/\/ The article's example ends/)
        )

        #expect(example.code.count > 1_000)
        #expect(try DocumentationCatalog.article("SeveralDevices").contains(example.code))
    }
}
