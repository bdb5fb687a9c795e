import Foundation
import Testing
import VitrineDeviceExchange
import VitrineTestSupport

@testable import Vitrine

/// End of the link between a device and an account of the app's own login.
@Suite(.hangLimit) struct UnlinkingTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    /// Creates a device that is logged in, and has published the purchases of its customer.
    private func makeLoggedInDevice() async throws -> CatalogManager {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        try await phone.server.enroll(accountToken: "first")
        _ = try await phone.server.exchange()
        return phone
    }

    private func loseReply() { server.answerNext("DELETE", "/v1/devices/me/account", .reset) }

    /// Checks that the next exchange publishes nothing of the former customer for the present one.
    private func checkNothingIsPublished(by phone: CatalogManager) async throws {
        let customer = try #require(try phone.server.customer)
        let error = await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
        #expect(error?.code == .otherCustomer)
        #expect(server.value(\.documents)[customer.uuidString] == nil)
    }

    @Test func `after the end of its link with an account, a device publishes no purchases of the account`()
        async throws
    {
        let phone = try await makeLoggedInDevice()
        let former = try phone.server.customer
        try await phone.server.unlink()
        #expect(try phone.server.customer != former)
        #expect(try credentials("phone")?.enrollment?.hasAccount == false)
        #expect(try credentials("phone")?.isUnlinking == nil)
        try await checkNothingIsPublished(by: phone)
    }

    struct Repetition: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Number of further requests to end the link.
        let count: Int
    }

    @Test(arguments: [
        Repetition(testDescription: "no repetition", count: 0), Repetition(testDescription: "one repetition", count: 1),
        Repetition(testDescription: "two repetitions", count: 2),
    ])
    func `if the reply to the end of a link is lost, the account is not taken for the next customer`(
        _ repetition: Repetition
    ) async throws {
        let phone = try await makeLoggedInDevice()
        let former = try phone.server.customer
        loseReply()
        _ = await #expect(throws: AppServerError.self) { try await phone.server.unlink() }
        // The server has moved the device to another customer, with another token.
        server.merge()
        for _ in 0..<repetition.count { try await phone.server.unlink() }
        if repetition.count == 0 { _ = try await phone.server.stateAfterChange() }
        #expect(try phone.server.customer != former)
        #expect(try credentials("phone")?.formerCustomers == [])
        #expect(try credentials("phone")?.enrollment?.hasAccount == false)
        #expect(try credentials("phone")?.isUnlinking == nil)
        try await checkNothingIsPublished(by: phone)

        // The account of the next login is not merged with the former one either.
        try await phone.server.enroll(accountToken: "second")
        try await checkNothingIsPublished(by: phone)
    }

    @Test func `after a failed request to end a link, a login decides anew whose device it is`() async throws {
        let phone = try await makeLoggedInDevice()
        loseReply()
        _ = await #expect(throws: AppServerError.self) { try await phone.server.unlink() }
        #expect(try credentials("phone")?.isUnlinking == true)
        try await phone.server.enroll(accountToken: "second")
        #expect(try credentials("phone")?.isUnlinking == nil)
        // Later customers of the device are again the same person.
        server.merge()
        _ = try await phone.server.stateAfterChange()
        #expect(try credentials("phone")?.formerCustomers.count == 1)
    }
}

extension CatalogManager.Server {
    /// Requests the state, and once more if the customer has changed.
    fileprivate func stateAfterChange() async throws -> ServerCustomerState {
        do throws(AppServerError) {
            return try await customerState()
        } catch {
            guard error.code == .customerChanged else { throw error }
            return try await customerState()
        }
    }
}
