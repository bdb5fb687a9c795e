import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Limits of the documents that a server stores for the devices of a customer, and the removal of old ones.
@Suite(.hangLimit) struct DocumentLimitTests {
    private static func document(
        spending token: String, filler: Int = 0, key: Data
    ) throws -> (name: String, content: Data) {
        let debit = Fact.debit(
            Fact.Debit(token: token + String(repeating: "x", count: filler), wallet: "coins", amount: 1))
        let document = DeviceDocument(
            device: "tablet-\(token)", name: "tablet", first: 1, last: 1,
            entries: [LedgerEntry(sequence: 1, recordedAt: .sample, fact: debit)])
        let content = try document.data(sealedWith: LedgerSealKey(key))
        return (DocumentName(of: document, content).text, content)
    }

    private static func store(
        _ document: (name: String, content: Data), from device: EnrolledDevice, in fixture: CustomersFixture
    ) async throws {
        try await fixture.records.store(document.content, named: document.name, from: device, lock: nil)
    }

    @Test func `a document of more than 4 MiB is refused`() async throws {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        let document = try Self.document(
            spending: "1", filler: CustomerRecords.documentLimit, key: enrollment.key)
        let error = await #expect(throws: CustomerError.self) {
            try await Self.store(document, from: phone, in: fixture)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.code.isRetryable == false)
    }

    @Test func `the documents of a customer take 64 MiB at most`() async throws {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        // The entries have no effect: their device is that of another document.
        let size = 4_000_000
        var stored = 0
        let error = await #expect(throws: CustomerError.self) {
            for number in 0..<20 {
                let fact = Fact.grant(
                    Fact.Grant(
                        token: "\(number)", productIdentifier: .voyager("rome"),
                        reason: String(repeating: "x", count: size), author: "device"))
                let document = DeviceDocument(
                    device: "tablet-\(number)", name: "tablet", first: 1, last: 1,
                    entries: [LedgerEntry(sequence: 1, recordedAt: .sample, fact: fact)])
                let content = try document.data(sealedWith: LedgerSealKey(enrollment.key))
                try await Self.store((DocumentName(of: document, content).text, content), from: phone, in: fixture)
                stored += 1
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(stored == (64 << 20) / size)
    }

    @Test func `documents of a customer whose devices were not seen for 180 days are removed, and others stay`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        let (other, otherEnrollment) = try await fixture.enroll(.init(), "B")
        try await Self.store(Self.document(spending: "10000001", key: enrollment.key), from: phone, in: fixture)
        try await Self.store(Self.document(spending: "10000002", key: otherEnrollment.key), from: other, in: fixture)

        fixture.clock.advance(by: 179 * 86_400)
        let third = try await fixture.enroll(.init(), "C")
        try await Self.store(
            Self.document(spending: "10000003", key: third.enrollment.key), from: third.device, in: fixture)
        for device in [phone, other] { #expect(try await fixture.records.documentNames(of: device).count == 1) }

        // One more device of the customer B is seen.
        _ = try await fixture.enroll(.init(), "B")
        fixture.clock.advance(by: 2 * 86_400)
        try await Self.store(
            Self.document(spending: "10000004", key: third.enrollment.key), from: third.device, in: fixture)
        #expect(try await fixture.records.documentNames(of: phone).isEmpty)
        #expect(try await fixture.records.documentNames(of: other).count == 1)
    }
}
