import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Rows that are read column by column, without omitting a column.
@Suite(.hangLimit) struct StoreRecordTests {
    private let database: DatabaseQueue

    init() throws {
        let folder = try TemporaryFolder()
        try SimulatedStore.create(
            in: folder.url, configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: VoyagerStore.bundleIdentifier)
        database = try DatabaseQueue()
        try DatabaseQueue(path: StoreFolder(url: folder.url).database.path()).backup(to: database)
    }

    /// Writes a record that has a value in each column as a row, reads it again, and compares both.
    private func check<Record: FetchableRecord & PersistableRecord>(_ record: Record) throws {
        let written = try record.databaseDictionary
        let columns = try database.read { try $0.columns(in: Record.databaseTableName).map(\.name) }
        #expect(Set(written.keys) == Set(columns))
        #expect(written.values.allSatisfy { !$0.isNull }, "a column is not compared")

        let read = try Record(row: Row(written)).databaseDictionary
        for column in columns { #expect(read[column] == written[column], "\(column)") }
    }

    @Test func `a purchase record is read from the store's database with all its columns`() throws {
        let offer = Data(
            #"""
            {"type": 2, "identifier": "spring", "mode": "free", "period": "P1M", "duration": "P3M", "lengths": 3,
            "remaining": 2, "price": 1}
            """#.utf8)
        var purchase = PurchaseRecord(
            id: 7, customer: 1, device: 2, productIdentifier: "a", kind: .autoRenewableSubscription, quantity: 3,
            purchaseDate: 4, price: 5, currency: "EUR", storefront: "DEU", ownershipType: .familyShared)
        (purchase.accountToken, purchase.originalID, purchase.originalDate) = ("token", 8, 9)
        (purchase.isPending, purchase.isInterrupted, purchase.isRenewal, purchase.isUpgraded) = (true, true, true, true)
        (purchase.groupID, purchase.expiresDate) = ("group", 10)
        purchase.offer = try JSONDecoder().decode(AppliedOffer.self, from: offer)
        (purchase.revocationDate, purchase.revocationType, purchase.revocationPercentage) = (11, .fullRefund, 12)
        (purchase.sharedFrom, purchase.signedFrom, purchase.modification) = (13, 14, 15)

        try check(purchase)
    }

    @Test func `the identity record of a store is read from its database with all columns`() throws {
        var identity = StoreIdentity(bundleIdentifier: "com.example.app", pem: "key", seed: StoreSeed(value: 5))
        identity.receiptPEM = "other key"

        try check(identity)
    }

    @Test func `the settings record of a store is read from its database with all columns`() throws {
        try check(
            StoreSettings(
                id: 1, asksToBuy: true, isOffline: true, offlineDate: 1, paymentRestriction: "reason",
                storefront: "DEU", clock: 2, timeRate: .oneHourIsOneDay, hasGracePeriod: true, isBillingFailing: true,
                interruptsPurchases: true, sendsConsumablesToAllDevices: true, environment: .production,
                appIdentifier: 3, notificationURL: "http://127.0.0.1:9", isRecording: true))
    }
}
