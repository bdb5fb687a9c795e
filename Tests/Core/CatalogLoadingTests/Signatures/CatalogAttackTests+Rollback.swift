import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

extension CatalogAttackTests {
    @Test func `an older catalog is refused after a newer one was seen`() async throws {
        try await recordSeenVersions(of: publisher)
        let older = publisher.changed { $0.version = 11 }

        guard case .outOfDate(older.statement, let failure) = try await verify(older) else {
            Issue.record("an old catalog is not told from a new one")
            return
        }
        #expect(failure.code == .rollback)
        #expect(failure.reason == "the catalog has version 11, but a catalog with version 12 was seen")
    }

    @Test func `an older catalog is not recorded after a newer one was recorded`() async throws {
        let older = publisher.changed { $0.version = 11 }
        #expect(try await verify(older) == .valid(older.statement))
        try await recordSeenVersions(of: publisher)

        let verifier = CatalogVerifier(trust: publisher.trust(), numbers: numbers)
        #expect(await verifier.record(older.statement).failureCode == .rollback)
    }

    @Test func `a newer catalog that is verified but not recorded does not invalidate the previous catalog`()
        async throws
    {
        try await recordSeenVersions(of: publisher)
        _ = try await verify(publisher.changed { $0.version = 13 })

        #expect(try await verify(publisher) == .valid(publisher.statement))
    }

    @Test(arguments: [
        RollbackCase(testDescription: "a lower version") { $0.keysVersion = 4 },
        RollbackCase(testDescription: "the same version, issued before") { $0.keysIssued -= 1 },
        RollbackCase(testDescription: "a higher version, issued before") {
            $0.keysVersion = 6
            $0.keysIssued -= 1
        },
    ])
    func `an older keys file is refused after a newer one was seen, even one with an invalid catalog`(
        older: RollbackCase
    )
        async throws
    {
        var files = try publisher.changed { $0.keysVersion = 5 }.files()
        files.catalog = Data()
        #expect(await verify(files).failureCode == .signature)

        #expect(
            try await verify(publisher.changed { $0.keysVersion = 5 }.changed(older.change)).failureCode
                == .keysRollback)
    }

    struct RollbackCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout CatalogPublisher) -> Void
    }

    @Test func `a keys file of the previous root key is refused once a newer one of the next root key was seen`()
        async throws
    {
        let next = publisher.changed {
            $0.root = .sample(3)
            $0.keysIssued += 60
        }
        let trust = CatalogTrust(
            mode: .enforce, roots: [publisher.root.publicKey, next.root.publicKey], app: publisher.app)
        let verifier = CatalogVerifier(trust: trust, numbers: numbers)
        #expect(await verifier.verify(try publisher.files(), at: date) == .valid(publisher.statement))
        #expect(await verifier.verify(try next.files(), at: date) == .valid(next.statement))

        #expect(await verifier.verify(try publisher.files(), at: date).failureCode == .keysRollback)
    }

    @Test func `a catalog remains valid with a newer keys file that still lists its signing key`() async throws {
        try await recordSeenVersions(of: publisher)
        let newer = publisher.changed { $0.keysVersion = 2 }
        #expect(try await verify(newer.changed { $0.signer = .sample(9) }).failureCode == .unknownKey)

        #expect(try await verify(publisher).outOfDateCode == .keysRollback)
        #expect(try await verify(newer) == .valid(publisher.statement))
    }

    @Test func `an earlier signature of the same catalog version is refused after a later signature was seen`()
        async throws
    {
        let renewed = publisher.changed { $0.issued += 60 }
        #expect(try await verify(publisher) == .valid(publisher.statement))
        try await recordSeenVersions(of: renewed)

        guard case .outOfDate(publisher.statement, let failure) = try await verify(publisher) else {
            Issue.record("an old signature is not told from a new one")
            return
        }
        #expect(failure.code == .rollback)
        #expect(
            failure.reason == "the catalog of version 12 is dated \(publisher.issued.inSeconds), but a catalog of "
                + "this version dated \(renewed.issued.inSeconds) was seen")
        let verifier = CatalogVerifier(trust: publisher.trust(), numbers: numbers)
        #expect(await verifier.record(publisher.statement).outOfDateCode == .rollback)
        #expect(try await verify(renewed) == .valid(renewed.statement))
    }

    @Test func `a higher catalog version may have an earlier signing date than the version below it`() async throws {
        try await recordSeenVersions(of: publisher)
        let next = publisher.changed {
            $0.version += 1
            $0.issued -= 60
        }
        try await recordSeenVersions(of: next)

        #expect(try await verify(next) == .valid(next.statement))
    }

    @Test func `a keys file of an earlier epoch is refused and not recorded`() async throws {
        func published(epoch: Int, version: Int) -> CatalogPublisher {
            publisher.changed {
                $0.keys = CatalogKeys(keys: $0.keys.keys, revoked: [], epoch: epoch)
                $0.keysVersion = version
            }
        }
        let recovered = published(epoch: 2, version: 2)
        try await recordSeenVersions(of: recovered)
        let before = await numbers.numbers

        let mistaken = try await verify(published(epoch: 1, version: 3))
        #expect(mistaken.outOfDateCode == .keysRollback)
        #expect(mistaken.failureReason == "keys.plist has epoch 1, but a keys.plist with epoch 2 was seen")
        #expect(await numbers.numbers == before)
        #expect(try await verify(recovered) == .valid(recovered.statement))
        let corrected = published(epoch: 2, version: 3)
        #expect(try await verify(corrected) == .valid(corrected.statement))
    }
}
