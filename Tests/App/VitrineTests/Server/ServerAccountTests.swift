import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// App Store accounts of a device at the app's own server, which merges customers that one device shows.
@Suite(.hangLimit) struct ServerAccountTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    /// Request for enrollment, as the server receives it.
    private struct Enrollment: Decodable {
        let publicKey: Data
        let appTransaction: String?

        /// App Store account in the app transaction.
        var account: String? { appTransaction.flatMap(AppStoreAccount.identifier) }
    }

    private func enrollments() throws -> [Enrollment] {
        try server.received.filter { $0.method == "POST" && $0.path == "/v1/devices" }
            .map { try JSONDecoder().decode(Enrollment.self, from: $0.body) }
    }

    private func device(of customer: String) async throws -> SimulatedStore {
        let device = try voyager.store.device("phone", of: customer)
        try await device.setOriginalPurchase(
            OriginalPurchase(version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        return device
    }

    private func account(of customer: String) async throws -> String? {
        try await voyager.store.customers().first { $0.name == customer }?.appTransactionID
    }

    /// Enrolls the device of Anna, who has bought a product.
    private func enrollAnna() async throws {
        let phone = try await makeDevice("phone", store: try await device(of: "anna").launched) {
            $0.purchases.accounts = .separate
        }
        #expect(await buy("lisbon", with: phone) == "charged")
        try await phone.server.enroll()
        await phone.stop()
    }

    /// Launches the app after Ben has signed in. No products are loaded.
    private func launch(_ store: any Store) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: home("phone"),
            options: ManagerOptions(now: { clock.now }) {
                $0.purchases.accounts = .separate
                $0.server = options("phone")
            })
    }

    @Test func `another App Store account enrolls as another device`() async throws {
        try await enrollAnna()
        let phone = try await launch(try await device(of: "ben").launched)
        try await phone.server.enroll()
        let enrollments = try enrollments()
        let (anna, ben) = (try await account(of: "anna"), try await account(of: "ben"))
        #expect(enrollments.map(\.account) == [anna, ben])
        #expect(Set(enrollments.map(\.publicKey)).count == 2)
        await phone.stop()
    }

    @Test func `until another App Store account is verified, the device of the former one shows nothing of it`()
        async throws
    {
        try await enrollAnna()
        let ben = try await device(of: "ben")
        guard case .purchased(let transaction) = try await ben.purchase(.voyager("porto"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await ben.finish(transaction)
        let requests = Recorder<Void>()
        var store = InterceptedStore(ben)
        store.onAppTransaction = { () throws(StoreError) in
            requests.record(())
            // The request about the account fails, and that of the enrollment succeeds.
            guard requests.values.count > 1 else { throw StoreError(code: .network, reason: "no network") }
            return try await ben.appTransaction()
        }
        let phone = try await launch(store)
        try await phone.server.enroll()
        let (enrollments, account) = (try enrollments(), try await account(of: "anna"))
        #expect(enrollments.map(\.account) == [account, nil])
        #expect(Set(enrollments.map(\.publicKey)).count == 1)
        let signed = try await phone.server.signedData()
        #expect(Set(signed.map(AppStoreAccount.identifier)) == [account])
        await phone.stop()
    }

    @Test func `a purchase names no customer of the server while its App Store account is not verified`() async throws {
        try await enrollAnna()
        let tokens = Recorder<UUID?>()
        var store = InterceptedStore(try await device(of: "ben"))
        store.onAppTransaction = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        store.onPurchase = { _, options throws(StoreError) in
            tokens.record(options.accountToken)
            return .cancelled
        }
        let phone = try await launch(store)
        await phone.loadProducts()
        #expect(await buy("coins50", with: phone) == "cancelled")
        #expect(tokens.values == [nil])
        await phone.stop()
    }
}
