import Foundation
import Testing
import VitrineAppServerRecords
import VitrineEntitlements
import VitrineTestSupport

/// Facts of a customer as operators read and export them.
@Suite(.hangLimit) struct ExportTests {
    @Test func `facts are listed without signed data, which only an export has`() async throws {
        let fixture = try await CustomersFixture()
        let customer = try await fixture.owner().device.customer
        let facts = try await fixture.records.facts(of: customer, after: 0, limit: 500)
        #expect(facts.contains { $0.kind == "purchase" })
        #expect(facts.allSatisfy { $0.signedData == nil })
        let lines = try await fixture.records.export(customer).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines.contains { $0.contains("\"signedData\":\"ey") })
    }
}
