import Foundation
import Testing
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Monotonic counters and stored values of a ledger.
extension LedgerContractTests {
    @Test(arguments: Implementation.allCases)
    func `a stored counter never decreases, and advancing it returns its highest value`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)

        #expect(try await ledger.highest("version") == nil)
        for (value, highest) in [(3, 3), (7, 7), (5, 7), (7, 7), (8, 8), (-1, 8)] as [(Int64, Int64)] {
            #expect(try await ledger.advance("version", to: value) == highest, "\(value)")
            #expect(try await ledger.highest("version") == highest, "\(value)")
        }
        #expect(try await ledger.advance("extreme", to: .min) == .min)
        #expect(try await ledger.advance("extreme", to: .max) == .max)
        #expect(try await ledger.advance("extreme", to: .min) == .max)
        #expect(try await ledger.highest("version") == 8)
        #expect(try await ledger.highest("Version") == nil)
    }

    @Test(arguments: Implementation.allCases)
    func `a counter that a hundred tasks advance concurrently ends at the highest value`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
            for value in 1...100 as ClosedRange<Int64> {
                group.addTask { (value, try await ledger.advance("version", to: value * 7 % 101)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.count == 100)
        #expect(answers.allSatisfy { value, answer in answer >= value * 7 % 101 && answer <= 100 })
        #expect(try await ledger.highest("version") == 100)
    }

    @Test(arguments: Implementation.allCases)
    func `a stored value replaces the earlier value under the same name`(_ implementation: Implementation) async throws
    {
        let ledger = try implementation.make(in: folder)

        #expect(try await ledger.value(for: "answer") == nil)
        for data in [Data("one".utf8), Data([0, 255, 0]), Data(), Data("two".utf8)] {
            try await ledger.setValue(data, for: "answer")
            #expect(try await ledger.value(for: "answer") == data)
        }
        try await ledger.setValue(Data("other".utf8), for: "question")
        #expect(try await ledger.value(for: "answer") == Data("two".utf8))
    }

    @Test(arguments: Implementation.allCases)
    func `names of counters and stored values are equal in composed and decomposed Unicode spelling`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let (composed, decomposed) = ("m\u{FC}nze", "mu\u{308}nze")
        _ = try await ledger.advance(composed, to: 9)
        try await ledger.setValue(Data("one".utf8), for: composed)
        try await ledger.setValue(Data("two".utf8), for: decomposed)

        #expect(try await ledger.advance(decomposed, to: 3) == 9)
        #expect(try await ledger.value(for: composed) == Data("two".utf8))
    }

    @Test(arguments: Implementation.allCases)
    func `counters and stored values require a name, and a stored value is limited to 16 MiB`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let (most, limit) = (Data(count: 16 * 1_024 * 1_024), LedgerError.Code.tooLarge)
        try await ledger.setValue(most, for: "most")
        #expect(try await ledger.value(for: "most") == most)

        await expect(code: limit) { try await ledger.setValue(most + [0], for: "most") }
        #expect(try await ledger.value(for: "most") == most)
        await expect(code: .invalidName) { try await ledger.setValue(Data(), for: "") }
        await expect(code: .invalidName) { _ = try await ledger.value(for: "") }
        await expect(code: .invalidName) { _ = try await ledger.advance("", to: 1) }
        await expect(code: .invalidName) { _ = try await ledger.highest("") }
    }

    private func expect(
        code: LedgerError.Code, of body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: LedgerError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }
}
