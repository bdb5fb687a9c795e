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

    /// Returns a document with as many grants as numbers.
    private static func document(
        of device: String, _ numbers: ClosedRange<Int64>, replacing replaced: [String] = [], key: Data
    ) throws -> (name: String, content: Data) {
        let entries = numbers.map { number in
            LedgerEntry(
                sequence: number, recordedAt: .sample,
                fact: .grant(
                    Fact.Grant(
                        token: "\(device) \(number)", productIdentifier: .voyager("rome"), reason: "a present",
                        author: "device")))
        }
        let document = DeviceDocument(
            device: device, name: "tablet", first: numbers.lowerBound, last: numbers.upperBound, entries: entries,
            replaced: replaced)
        let content = try document.data(sealedWith: LedgerSealKey(key))
        return (DocumentName(of: document, content).text, content)
    }

    @Test func `documents that a later one of the same device replaces are removed, and no others`() async throws {
        let fixture = try await CustomersFixture()
        let (phone, enrollment) = try await fixture.enroll(.init(), "A")
        let key = enrollment.key
        let earlier = try (1...3).map { try Self.document(of: "tablet-1", $0...$0, key: key) }
        let other = try Self.document(of: "tablet-2", 1...1, key: key)
        for document in earlier + [other] { try await Self.store(document, from: phone, in: fixture) }
        let digests = (earlier.dropLast() + [other]).compactMap { DocumentName($0.name)?.digest }
        let later = try Self.document(of: "tablet-1", 1...4, replacing: digests, key: key)
        // A document that is refused removes none.
        let error = await #expect(throws: CustomerError.self) {
            try await fixture.records.store(later.content, named: later.name, from: phone, lock: "ended")
        }
        #expect(error?.code == .conflict)
        #expect(try await fixture.records.documentNames(of: phone).count == 4)

        try await Self.store(later, from: phone, in: fixture)
        #expect(
            try await Set(fixture.records.documentNames(of: phone)) == [earlier[2].name, other.name, later.name])
        let wrong = try Self.document(of: "tablet-1", 1...5, replacing: ["../etc/passwd"], key: key)
        let refused = await #expect(throws: CustomerError.self) {
            try await Self.store(wrong, from: phone, in: fixture)
        }
        #expect(refused?.code == .rejected)
    }

    private static func debit(_ token: String) -> Fact {
        .debit(Fact.Debit(token: token, wallet: "coins", amount: 1))
    }

    @Test func `the facts that documents of a customer add are limited, and published again without a limit`()
        async throws
    {
        let fixture = try await CustomersFixture(documentFacts: 3)
        let owner = try await fixture.owner()
        let all = ["a", "b", "c", "d"].map { (Self.debit($0), Date.sample) }
        try await fixture.publish(Array(all[..<2]), of: owner)
        try await fixture.publish(Array(all[..<3]), of: owner)

        let error = await #expect(throws: CustomerError.self) { try await fixture.publish(all, of: owner) }
        #expect(error?.code == .tooLarge)
        #expect(error?.code.isRetryable == false)
        #expect(try await fixture.coins(of: owner) == 97)

        // A device joins its documents, and another one has the same facts.
        try await fixture.publish([all[2]], of: owner, first: 3)
        try await fixture.publish(Array(all[..<3]), of: owner, as: "tablet-2")
        // The server goes on to decide, and another customer has a limit of its own.
        #expect(try await fixture.records.spend(1, of: "coins", token: "e", from: owner.device).balance == 96)
        let other = try await fixture.owner("B", first: 3)
        try await fixture.publish(Array(all[..<3]), of: other)
        #expect(try await fixture.coins(of: other) == 97)
    }

    @Test func `an invitation merges no customers that together have more facts from documents than one may have`()
        async throws
    {
        let fixture = try await CustomersFixture(documentFacts: 3)
        let (first, second) = (try await fixture.owner(), try await fixture.owner("B", first: 3))
        for (owner, tokens) in [(first, ["a", "b"]), (second, ["c", "d"])] {
            try await fixture.publish(tokens.map { (Self.debit($0), .sample) }, of: owner)
        }
        let invitation = try fixture.invitation(by: first.phone, first.device)

        let error = await #expect(throws: CustomerError.self) {
            try await fixture.enroll(second.phone, invitation: invitation)
        }
        #expect(error?.code == .tooManyDevices)
        for owner in [first, second] { #expect(try await fixture.coins(of: owner) == 98) }
    }

    @Test func `requests at the same time load the facts of a large customer once`() async throws {
        let database = try await ObservedDatabase(.memory)
        let fixture = try await CustomersFixture(database: database)
        let owner = try await fixture.owner()
        let customer = owner.device.customer
        _ = try await fixture.records.deposit(
            20_000, in: "coins", of: customer, token: "case-1", reason: "a present", by: "admin")
        fixture.clock.advance(by: 60)
        try await fixture.publish((1...10_001).map { (Self.debit("\($0)"), fixture.clock.now) }, of: owner)
        let other = try await CustomersFixture(app: fixture.app, database: database)
        _ = database.takeFactsRead()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await other.possessions(of: customer) } }
            try await group.waitForAll()
        }
        #expect((10_001..<20_000).contains(database.takeFactsRead()))
    }

    @Test(arguments: DatabaseKind.here)
    func `a list of documents reads only the facts of the server, and those of complete ranges once`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let owner = try await fixture.owner()
        let records = fixture.records
        _ = try await records.deposit(
            1_000, in: "coins", of: owner.device.customer, token: "case-1", reason: "a present", by: "admin")
        fixture.clock.advance(by: 60)
        try await fixture.publish((1...600).map { (Self.debit("\($0)"), fixture.clock.now) }, of: owner)
        _ = try await records.spend(1, of: "coins", token: "order", from: owner.device)
        func ownNames() async throws -> [String] {
            try await records.documentNames(of: owner.device).filter { $0.hasPrefix("server-") }
        }
        _ = database.takeFactsRead()

        let names = try await ownNames()
        // The device's 600 debits are in two ranges of 500 facts, each with some facts of the server.
        #expect(names.count == 2)
        let first = database.takeFactsRead()
        #expect((2..<30).contains(first))
        #expect(try await ownNames() == names)
        #expect((1..<first).contains(database.takeFactsRead()))
        var facts: [Fact] = []
        for name in names {
            let content = try await records.document(named: name, of: owner.device)
            #expect(database.takeFactsRead() < 30)
            let document = try DeviceDocument.read(
                content, named: #require(DocumentName(name)), key: LedgerSealKey(owner.key))
            facts += document.entries.map(\.fact)
        }
        #expect(facts.filter { $0.kind == .purchase }.count == 2)
        #expect(facts.filter { $0.kind == .deposit }.count == 1)
        #expect(facts.contains(Self.debit("order")))

        // A further fact changes the last document alone, and another server lists the same ones.
        _ = try await records.spend(1, of: "coins", token: "next", from: owner.device)
        let later = try await ownNames()
        #expect(later.first == names.first)
        #expect(later.last != names.last)
        let restarted = try await CustomersFixture(app: fixture.app, database: database, seed: 2)
        #expect(try await restarted.records.documentNames(of: owner.device).filter { $0.hasPrefix("server-") } == later)
        for name in [
            names[1], "server-1.1-5.0123456789abcdef.facts",
            "server-1.999999999999999999-999999999999999999.0123456789abcdef.facts",
        ] {
            let error = await #expect(throws: CustomerError.self) {
                try await records.document(named: name, of: owner.device)
            }
            #expect(error?.code == .notFound)
        }
    }
}
