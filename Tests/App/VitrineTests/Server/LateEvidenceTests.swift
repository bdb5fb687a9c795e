import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// App transaction that the store has only after the device has enrolled at the app's own server.
@Suite(.hangLimit) struct LateEvidenceTests: ServerScene {
    let stage: ServerStage
    /// Requests for the app transaction that have failed.
    private let refused = Recorder<Void>()
    private let isOnline = Recorder<Void>()

    init() async throws {
        stage = try await ServerStage()
        try await stage.voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "900", date: stage.voyager.clock.now, platform: .iOS))
    }

    /// Creates a device whose store has no app transaction until it is online.
    private func makeDevice() async throws -> CatalogManager {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onAppTransaction = { [isOnline, refused] () throws(StoreError) in
            guard isOnline.values.isEmpty else { return try await base.appTransaction() }
            refused.record(())
            throw StoreError(code: .network, reason: "no network")
        }
        return try await makeDevice("phone", store: store)
    }

    private struct Body: Decodable {
        let appTransaction: String?
    }

    /// `true` for each enrollment that had an app transaction.
    private func enrollments() throws -> [Bool] {
        try server.received.filter { $0.method == "POST" && $0.path == "/v1/devices" }
            .map { try JSONDecoder().decode(Body.self, from: $0.body).appTransaction != nil }
    }

    @Test func `a report enrolls a device again once the store has an app transaction`() async throws {
        let phone = try await makeDevice()
        try await phone.server.report()
        #expect(!refused.values.isEmpty)
        try await phone.server.report()
        #expect(try enrollments() == [false])
        isOnline.record(())
        for _ in 0..<2 { try await phone.server.report() }
        #expect(try enrollments() == [false, true])
    }

    @Test func `after an enrollment in another environment, a device exchanges and reports its purchases there`()
        async throws
    {
        let phone = try await makeDevice()
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        #expect(try await phone.server.report().count == 1)
        let former = try phone.server.customer
        // In the environment of the app transaction, the server has neither the device nor its customer.
        server.change { state in (state.devices, state.tokens) = ([:], [:]) }
        isOnline.record(())
        _ = try await phone.server.exchange()
        let customer = try #require(try phone.server.customer)
        #expect(customer != former)
        #expect(server.value(\.documents)[customer.uuidString]?.isEmpty == false)
        #expect(try await phone.server.report().count == 1)
        #expect(try enrollments() == [false, true])
    }

    @Test func `a device whose app transaction is of a customer with an account has to log in, and keeps its facts`()
        async throws
    {
        let phone = try await makeDevice()
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        let former = try phone.server.customer
        isOnline.record(())
        let refusal = SampleServer.errorResponse(403, "forbidden", "There is an account.")
        for _ in 0..<2 { server.answerNext("POST", "/v1/devices", refusal) }
        let refused = await #expect(throws: AppServerError.self) { try await phone.server.report() }
        #expect(refused?.code == .forbidden)
        await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
        #expect(try phone.server.customer == former)

        try await phone.server.enroll(accountToken: "login")
        let customer = try #require(try phone.server.customer)
        #expect(customer != former)
        _ = try await phone.server.exchange()
        #expect(server.value(\.documents)[customer.uuidString]?.isEmpty == false)
        #expect(phone.wallets.balance(for: "coins") == .known(50))
        #expect(try enrollments() == [false, true, true, true])
    }
}
