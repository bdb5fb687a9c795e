import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Limit of devices of a customer without an account, and removal of devices.
@Suite(.hangLimit) struct DeviceListTests {
    @Test(arguments: DatabaseKind.here)
    func `concurrent enrollments never exceed the limit of devices of a customer without an account`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let first = try await fixture.enroll(.init(), "A").device
        let codes = await withTaskGroup(of: CustomerErrorCode?.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    do {
                        try await fixture.enroll(.init(), "A")
                        return nil
                    } catch {
                        return (error as? CustomerError)?.code ?? .unavailable
                    }
                }
            }
            return await group.reduce(into: [CustomerErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 9)
        #expect(codes.filter { $0 == .tooManyDevices }.count == 21)
        #expect(try await fixture.records.devices(ofCustomerOf: first).count == 10)
    }

    /// Servers that share a database each remember for seconds which device has a token.
    @Test(.enabled(if: DatabaseKind.obstacle == nil, "needs PostgreSQL"))
    func `a removed device has no access at the other servers either as soon as they hear of it`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await DatabaseKind.postgresql.scene(in: folder).database
        let fixture = try await CustomersFixture(database: database)
        let other = try await CustomersFixture(app: fixture.app, database: database)
        let (lost, enrolled) = try await fixture.enroll(.init(), "A")
        #expect(try await other.records.device(bearing: enrolled.token.token) == lost)

        let (changes, continuation) = AsyncStream.makeStream(of: DatabaseAnnouncement.self)
        let running = Task { await other.records.run(sleep: { _ in }) { continuation.yield($0) } }
        @Sendable func buy(_ number: Int, by account: String) async throws {
            let rome = try fixture.app.transaction("rome", id: "\(number)", account: account)
            _ = try await fixture.receive(
                fixture.app.notification(.oneTimeCharge, id: "n\(number)", transaction: rome))
        }
        // Messages of before the connection listens are lost.
        let changing = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await buy(number, by: "B\(number)")
            }
        }
        for await _ in changes { break }
        changing.cancel()
        try await changing.value
        try await fixture.records.remove(
            lost.id, of: lost.customer, token: "case", reason: "stolen phone", by: "admin")
        let last = try await fixture.enroll(.init(), "Z").device
        try await buy(0, by: "Z")
        for await case .changed(let customers) in changes where customers.contains(where: { $0.id == last.customer }) {
            break
        }
        await #expect(throws: CustomerError.self) {
            try await other.records.device(bearing: enrolled.token.token)
        }
        running.cancel()
        await running.value
    }

    @Test func `a device that would exceed the limit of devices by its report stays with its own customer`()
        async throws
    {
        let fixture = try await CustomersFixture()
        for _ in 0..<10 { try await fixture.enroll(.init(), "A") }
        let device = CustomersFixture.Device()
        let enrolled = try await fixture.enroll(device).device
        let rome = try fixture.app.transaction("rome", id: "1", account: "A") { $0.bind(to: device.verificationID) }
        let answers = try await fixture.records.record(signed: [rome], boundTo: device.verificationID, from: enrolled)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await fixture.records.devices(ofCustomerOf: enrolled).map(\.id) == [enrolled.id])
    }

    @Test func `after another device or an operator has removed a lost device, a further device can enroll`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = CustomersFixture.Device()
        let enrolled = try await fixture.enroll(phone, "A").device
        var lost: [EnrolledDevice] = []
        for _ in 0..<9 { lost.append(try await fixture.enroll(.init(), "A").device) }
        await #expect(throws: CustomerError.self) { try await fixture.enroll(.init(), "A") }

        try await fixture.remove(lost[0].id, by: phone, enrolled)
        try await fixture.enroll(.init(), "A")
        for _ in 0..<2 {
            try await fixture.records.remove(
                lost[1].id, of: enrolled.customer, token: "case-1", reason: "lost", by: "support")
        }
        try await fixture.enroll(.init(), "A")

        let devices = try await fixture.records.devices(ofCustomerOf: enrolled).map(\.id)
        #expect(devices.count == 10)
        #expect(Set(devices).isDisjoint(with: lost[..<2].map(\.id)))
        let actions = try await fixture.records.detail(of: enrolled.customer).actions
        #expect(actions.filter { $0.action == "remove device" }.count == 2)
    }

    @Test func `a device of another customer is not removed, and neither is one without the key of the remover`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let (phone, thief) = (CustomersFixture.Device(), CustomersFixture.Device())
        let owner = try await fixture.enroll(phone, "A").device
        let tablet = try await fixture.enroll(.init(), "A").device
        let other = try await fixture.enroll(thief, "B").device

        let foreign = await #expect(throws: CustomerError.self) { try await fixture.remove(owner.id, by: thief, other) }
        #expect(foreign?.code == .notFound)
        // Whoever has a stolen token of the phone has no key of it.
        let unsigned = await #expect(throws: CustomerError.self) {
            try await fixture.remove(tablet.id, by: thief, owner)
        }
        #expect(unsigned?.code == .unauthenticated)
        let wrong = await #expect(throws: CustomerError.self) {
            try await fixture.records.remove(
                owner.id, of: other.customer, token: "case-1", reason: "mistake", by: "support")
        }
        #expect(wrong?.code == .notFound)
        #expect(try await fixture.records.devices(ofCustomerOf: owner).map(\.id) == [owner.id, tablet.id].sorted())
    }
}
