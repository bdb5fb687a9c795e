import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

extension CatalogAttackTests {
    @Test func `a catalog is out of date from the second in which it expires`() async throws {
        #expect(try await verify(publisher, at: publisher.expires - 1) == .valid(publisher.statement))

        #expect(try await verify(publisher, at: publisher.expires).outOfDateCode == .expired)
    }

    @Test func `an expired catalog stays expired when the clock is set back`() async throws {
        let newer = publisher.changed {
            $0.version = 13
            $0.issued = publisher.expires + 60
            $0.expires = publisher.expires + 86_400
        }
        try await recordSeenVersions(of: newer, at: newer.issued)

        for version in [14, 15] {
            let frozen = publisher.changed { $0.version = version }
            #expect(try await verify(frozen, at: date - 10 * 365 * 86_400).outOfDateCode == .expired, "\(version)")
        }
    }

    @Test func `the trusted clock is not earlier than the date of the keys file`() async throws {
        let renewed = publisher.changed { $0.keysIssued = publisher.expires }

        #expect(try await verify(renewed, at: publisher.expires - 1).outOfDateCode == .expired)
    }

    @Test func `a catalog seen as valid remains valid when the clock is set back`() async throws {
        try await recordSeenVersions(of: publisher)

        #expect(try await verify(publisher, at: Date(timeIntervalSince1970: 0)) == .valid(publisher.statement))
    }

    @Test func `a keys file is out of date from the second in which it expires`() async throws {
        let short = publisher.changed { $0.keysExpires = date + 60 }

        #expect(try await verify(short, at: date + 59) == .valid(short.statement))
        #expect(try await verify(short, at: date + 60).outOfDateCode == .keysExpired)
    }
}
