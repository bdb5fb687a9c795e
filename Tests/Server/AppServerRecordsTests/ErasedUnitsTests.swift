import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Units that a customer has received before being erased.
@Suite(.hangLimit) struct ErasedUnitsTests {
    private static let catalog = Data(
        """
        <plist version="1.0"><dict><key>products</key><array><dict>\
        <key>productIdentifier</key><string>com.example.voyager.coins50</string>\
        <key>consumable</key><true/><key>storageKey</key><string>coins</string>\
        <key>productValue</key><integer>50</integer></dict><dict>\
        <key>productIdentifier</key><string>com.example.voyager.rome</string>\
        <key>consumable</key><false/></dict></array>\
        <key>wallets</key><dict><key>coins</key><dict><key>startingBalance</key><integer>20</integer></dict></dict>\
        </dict></plist>
        """.utf8)

    private func erase(_ customer: String, token: String, in fixture: CustomersFixture) async throws {
        try await fixture.records.erase(customer, token: token, reason: "asked for it", by: "admin")
    }

    @Test(arguments: DatabaseKind.here)
    func `an erased customer who enrolls again receives no units a second time`(_ kind: DatabaseKind) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await kind.scene(in: folder).database
        let fixture = try await CustomersFixture(database: database, publishing: Self.catalog)
        let phone = CustomersFixture.Device()
        let signed = [
            try fixture.app.transaction("coins50", id: "1", account: "A", kind: .consumable),
            try fixture.app.transaction("rome", id: "2", account: "A"),
        ]
        let first = try await fixture.enroll(phone, "A").device
        #expect(try await fixture.records.record(signed: signed, from: first).map(\.result) == [.accepted, .accepted])
        #expect(try await fixture.records.spend(70, of: "coins", token: "order", from: first).balance == 0)

        for round in 0..<2 {
            let before = try await fixture.enroll(phone, "A").device
            try await erase(before.customer, token: "case-\(round)", in: fixture)
            let again = try await fixture.enroll(phone, "A").device
            for _ in 0..<2 {
                _ = try await fixture.records.record(signed: signed, from: again)
                let possessions = try await fixture.possessions(of: again.customer)
                #expect(possessions.wallets["coins", default: 0] == 0)
                #expect(possessions.names == ["rome"])
            }
        }

        let last = try await fixture.enroll(phone, "A").device
        let more = try fixture.app.transaction("coins50", id: "3", account: "A", kind: .consumable)
        #expect(try await fixture.records.record(signed: [more], from: last).map(\.result) == [.accepted])
        #expect(try await fixture.possessions(of: last.customer).wallets == ["coins": 50])
        // A customer with another store account is not affected, and neither identifiers nor accounts are kept.
        let other = try await fixture.enroll(.init(), "B").device
        #expect(try await fixture.possessions(of: other.customer).wallets == ["coins": 20])
        let codes = try await database.rows(
            SQLStatement("SELECT code FROM received_units WHERE customer IS NULL")
        ).compactMap(\.first?.text)
        #expect(codes.count == 2)
        #expect(codes.allSatisfy { code in code.count == 32 && code.allSatisfy(\.isHexDigit) })
    }
}
