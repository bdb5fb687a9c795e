import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Erasure of a customer by an operator.
@Suite(.hangLimit) struct ErasureTests {
    @Test(arguments: DatabaseKind.here)
    func `an erased customer leaves no data, and the owner of the store account can enroll as a new customer`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await kind.scene(in: folder).database
        let fixture = try await CustomersFixture(database: database)
        // Another customer is merged into the one with the account.
        let customer = try await fixture.enroll(.init(), "B", account: "person").device.customer
        let owner = try await fixture.owner("A", first: 2)
        #expect(try await fixture.enroll(owner.phone, account: "person").device.customer == customer)
        let present = CustomersFixture.Owner(
            phone: owner.phone, device: try await fixture.enroll(owner.phone).device,
            key: try await fixture.enroll(owner.phone).enrollment.key)
        try await fixture.publish([(.spent(1, token: "map"), fixture.clock.now)], of: present)
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: rome)
        #expect(try await fixture.receive(notification) == .recorded)
        #expect(try await fixture.possessions(of: customer).names == ["rome"])

        for _ in 0..<2 {
            try await fixture.records.erase(customer, token: "case", reason: "asked for it", by: "admin")
        }

        for table in [
            "fact", "purchase_fact", "statement", "document", "published_name", "identity", "device", "customer",
        ] {
            #expect(try await database.integer("SELECT COUNT(*) FROM \(table)") == 0, "\(table)")
        }
        #expect(try await database.integer("SELECT COUNT(*) FROM received_units WHERE customer IS NOT NULL") == 0)
        #expect(try await database.integer("SELECT COUNT(*) FROM notification WHERE payload <> ''") == 0)
        #expect(try await database.integer("SELECT COUNT(*) FROM audit WHERE action = 'erase'") == 1)
        for id in [customer, owner.device.customer] {
            let error = await #expect(throws: CustomerError.self) { try await fixture.possessions(of: id) }
            #expect(error?.code == .notFound)
        }
        // A notification that arrives again records nothing.
        #expect(try await fixture.receive(notification) == .known)
        let new = try await fixture.enroll(owner.phone, "A").device
        #expect(try await fixture.possessions(of: new.customer).names == [])
    }

    @Test func `the notifications about a transferred purchase are erased with the customer who has received it`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let first = try await fixture.enroll(.init(), "A").device.customer
        for (id, account) in [("1", "A"), ("2", "B")] {
            let rome = try fixture.app.transaction("rome", id: id, account: account) {
                $0.appAccountToken = id == "1" ? nil : UUID(uuidString: first)
            }
            let notification = try fixture.app.notification(.oneTimeCharge, id: "n\(id)", transaction: rome)
            #expect(try await fixture.receive(notification) == .recorded)
        }
        let receiver = try await fixture.records.transfer(
            TransferredParts(identities: [CustomerDetail.Identity(kind: "appTransaction", value: "A")], devices: []),
            from: first, to: nil, token: "case-1", reason: "two customers", by: "admin"
        ).to
        try await fixture.records.erase(receiver, token: "case-2", reason: "asked for it", by: "admin")

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.receiveAgain(notification: "n1", app: CustomersFixture.name)
        }
        #expect(error?.code == .notFound)
        #expect(
            try await fixture.records.receiveAgain(notification: "n2", app: CustomersFixture.name) == .recorded)
    }
}
