import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// What older versions of the store have left.
extension SimulatedStoreTests {
    @Test(arguments: [1, 2, 3, 4, 6, 8])
    func `a store database of an older version is migrated with its transactions`(version: Int) async throws {
        let store = try await openedAsWritten(byVersion: version)

        #expect(try await Array(store.transactions().map(\.id).prefix(2)) == ["1", "2"])
        #expect(try await store.transactions().allSatisfy { $0.ownershipType == .purchased && !$0.isPending })
        #expect(try await store.unfinishedTransactions().map(\.id) == ["2"])
        #expect(try await store.refund("1").revocationDate == voyager.clock.now)
        #expect(try await store.pendingPurchases().isEmpty)
        #expect(await store.paymentRestriction() == nil)
        try await store.setAsksToBuy(true)
        #expect(try await store.purchase(.voyager("rome"), quantity: 1) == .pending)
        #expect(try await (store.appTransaction() != nil) == (version > 1))
        #expect(try await store.appReceipt() == nil)
        let receipt = try await store.refreshAppReceipt(ReceiptRequest())
        let verifier = AppReceiptVerifier(
            roots: try TrustedRoots(pem: store.receiptRootCertificate),
            bundleIdentifier: VoyagerStore.bundleIdentifier, environment: .sandbox,
            deviceIdentifier: store.deviceIdentifier)
        guard case .verified = await verifier.verify(receipt: receipt) else {
            Issue.record("its receipt cannot be verified")
            return
        }
    }

    @Test func `a refund that an older version recorded can be reversed`() async throws {
        let store = try await openedAsWritten(byVersion: 2)
        let revoked = try #require(try await store.knownTransactions().last)
        #expect(try await payload(revoked).revocationDate != nil)

        try await store.reverseRefund("3")
        let reversed = try #require(try await store.unfinishedTransactions().last)
        #expect(try await payload(reversed).revocationDate == nil)
        #expect(try await payload(reversed).signedDate > payload(revoked).signedDate)
    }

    /// This test's store with the state of an older version in the place of its own.
    private func openedAsWritten(byVersion version: Int) async throws -> SimulatedStore {
        let file = voyager.folder["Store/store.sqlite"]
        let pem = try await DatabaseQueue(path: file.path()).read { database in
            try #require(try String.fetchOne(database, sql: "SELECT pem FROM identity"))
        }
        try FileManager.default.removeItem(at: file)
        let old = try DatabaseQueue(path: file.path())
        let fixture = Repository.file("Tests/Fixtures/store-version\(version).sql")
        let sql = try String(contentsOf: fixture, encoding: .utf8)
        try await old.writeWithoutTransaction { database in
            try database.execute(sql: sql)
            try database.execute(
                sql: "INSERT INTO identity (id, bundleIdentifier, pem) VALUES (1, ?, ?)",
                arguments: [VoyagerStore.bundleIdentifier, pem])
        }
        try old.close()
        return try voyager.reopened()
    }
}
