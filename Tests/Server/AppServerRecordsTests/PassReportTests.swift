import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Non-renewing subscriptions of a customer at the app's own server.
@Suite(.hangLimit) struct PassReportTests {
    private static let day: TimeInterval = 86_400

    private static func catalog(_ duration: String, _ more: String = "") -> Data {
        Data(
            """
            <plist version="1.0"><array><dict><key>productIdentifier</key><string>com.example.voyager.pass</string>\
            <key>type</key><string>nonRenewingSubscription</string>\
            <key>subscriptionDuration</key><string>\(duration)</string>\(more)</dict></array></plist>
            """.utf8)
    }

    private func pass(_ id: String, boughtDaysAgo days: Double, by fixture: CustomersFixture) throws -> String {
        try fixture.app.transaction("pass", id: id, account: "A", kind: .nonRenewingSubscription) {
            $0.purchaseDate = .sample - days * Self.day
            $0.originalPurchaseDate = $0.purchaseDate
        }
    }

    private func isOwned(afterDays days: Double, _ fixture: CustomersFixture, _ customer: String) async throws -> Bool {
        fixture.clock.advance(by: days * Self.day)
        defer { fixture.clock.advance(by: -days * Self.day) }
        return try await fixture.records.isOwned("com.example.voyager.pass", by: customer)
    }

    @Test(arguments: [["1", "2"], ["2", "1"]])
    func `passes that overlap add up at the server, in whatever order they are reported`(order: [String]) async throws {
        let fixture = try await CustomersFixture(publishing: Self.catalog("P30D"))
        let phone = try await fixture.enroll(.init(), "A").device
        for id in order {
            let transaction = try pass(id, boughtDaysAgo: id == "1" ? 20 : 10, by: fixture)
            #expect(try await fixture.records.record(signed: [transaction], from: phone).map(\.result) == [.accepted])
        }
        #expect(try await isOwned(afterDays: 39, fixture, phone.customer))
        #expect(try await !isOwned(afterDays: 41, fixture, phone.customer))
    }

    @Test func `a pass that is reported again keeps the duration that the server has recorded`() async throws {
        let fixture = try await CustomersFixture(publishing: Self.catalog("P30D"))
        let phone = try await fixture.enroll(.init(), "A").device
        let transaction = try pass("1", boughtDaysAgo: 40, by: fixture)
        #expect(try await fixture.records.record(signed: [transaction], from: phone).map(\.result) == [.accepted])

        try await fixture.replaceCatalog(Self.catalog("P60D"))

        #expect(try await fixture.records.record(signed: [transaction], from: phone).map(\.result) == [.known])
        #expect(try await !isOwned(afterDays: 0, fixture, phone.customer))
    }

    @Test func `a pass that is reported after its duration has changed has its former duration at the server`()
        async throws
    {
        let former = """
            <key>formerDurations</key><array><dict><key>duration</key><string>P60D</string><key>until</key>\
            <date>\((Date.sample - 15 * Self.day).formatted(.iso8601))</date></dict></array>
            """
        let fixture = try await CustomersFixture(publishing: Self.catalog("P30D", former))
        let phone = try await fixture.enroll(.init(), "A").device
        let transactions = [
            try pass("1", boughtDaysAgo: 20, by: fixture), try pass("2", boughtDaysAgo: 10, by: fixture),
        ]
        #expect(
            try await fixture.records.record(signed: transactions, from: phone).map(\.result) == [.accepted, .accepted])
        #expect(try await isOwned(afterDays: 69, fixture, phone.customer))
        #expect(try await !isOwned(afterDays: 71, fixture, phone.customer))
    }
}
