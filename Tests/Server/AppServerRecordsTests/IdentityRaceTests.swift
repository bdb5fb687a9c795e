import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Identities that are added to a customer who is erased or merged at the same time.
@Suite(.hangLimit) struct IdentityRaceTests {
    private static let identity = "INSERT INTO identity"

    private func erase(_ customer: String, in fixture: CustomersFixture) async {
        await #expect(throws: Never.self) {
            try await fixture.records.erase(customer, token: "case", reason: "asked for it", by: "admin")
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer who is erased during a report receives no identity of the reported purchase`(_ kind: DatabaseKind)
        async throws
    {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let device = try await fixture.enroll(.init(), "A").device
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")
        database.interrupt(Self.identity) { await erase(device.customer, in: fixture) }

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.record(signed: [rome], from: device)
        }

        #expect(error?.code == .notFound)
        #expect(try await database.integer("SELECT COUNT(*) FROM identity") == 0)
        let new = try await fixture.enroll(.init(), "A").device
        #expect(try await fixture.records.record(signed: [rome], from: new).map(\.result) == [.accepted])
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer who is erased while a device proves its store account does not receive the account`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let phone = CustomersFixture.Device()
        let device = try await fixture.enroll(phone).device
        let proof = try fixture.app.appTransaction(of: "A", boundTo: phone.verificationID)
        database.interrupt(Self.identity) { await erase(device.customer, in: fixture) }

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.record(signed: [proof], boundTo: phone.verificationID, from: device)
        }

        #expect(error?.code == .notFound)
        #expect(try await database.integer("SELECT COUNT(*) FROM identity") == 0)
        try await fixture.enroll(.init(), "A")
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer who is merged during a report leaves the identity of the purchase to the remaining customer`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let remaining = try await fixture.enroll(.init(), account: "person").device.customer
        let phone = CustomersFixture.Device()
        let device = try await fixture.enroll(phone, "A").device
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")
        database.interrupt(Self.identity) {
            await #expect(throws: Never.self) { try await fixture.enroll(phone, account: "person") }
        }

        #expect(try await fixture.records.record(signed: [rome], from: device).map(\.result) == [.accepted])

        #expect(try await fixture.possessions(of: remaining).names == ["rome"])
        let rows = try await database.rows(SQLStatement("SELECT DISTINCT customer FROM identity"))
        #expect(rows == [[.text(remaining)]])
    }

    @Test(arguments: DatabaseKind.here)
    func `a device that is transferred while its token is renewed receives its new customer and key`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let phone = CustomersFixture.Device()
        let device = try await fixture.enroll(phone, "A").device
        let moved = Recorder<TransferResult>()
        database.interrupt("UPDATE device SET token") {
            await #expect(throws: Never.self) {
                moved.record(
                    try await fixture.records.transfer(
                        TransferredParts(identities: [], devices: [device.id]), from: device.customer, to: nil,
                        token: "case", reason: "stolen phone", by: "admin"))
            }
        }
        let renewed = try await fixture.records.renewToken(fixture.tokenRequest(phone, device))
        #expect(renewed.customer == moved.values.first?.to)
        #expect(try await fixture.records.device(bearing: renewed.token.token).customer == renewed.customer)
    }

    @Test func `a notification about a purchase whose customer is missing is answered as unavailable`() async throws {
        let database = try SQLiteCustomerDatabase.inMemory()
        let fixture = try await CustomersFixture(database: database)
        try await database.add(
            SQLStatement(
                "INSERT INTO identity (app, kind, value, customer, since) VALUES ($1, 'purchase', '1', 'nobody', 0)",
                .text(CustomersFixture.name)))
        let rome = try fixture.app.transaction("rome", id: "1")
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: rome)
        let error = await #expect(throws: CustomerError.self) { try await fixture.receive(notification) }
        #expect(error?.code == .unavailable)
    }
}
