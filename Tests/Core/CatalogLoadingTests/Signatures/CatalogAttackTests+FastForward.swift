import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineSupport
import VitrineTestSupport

extension CatalogAttackTests {
    @Test(arguments: [
        (1_000_012, nil), (1_000_013, CatalogSignatureFailure.Code.fastForward), (Int.max, .fastForward),
    ])
    func `a catalog version may be at most a million above the highest version seen`(
        version: Int, code: CatalogSignatureFailure.Code?
    ) async throws {
        try await recordSeenVersions(of: publisher)

        #expect(try await verify(publisher.changed { $0.version = version }).failureCode == code)
    }

    @Test(arguments: [
        (1_000_001, nil), (1_000_002, CatalogSignatureFailure.Code.keysFastForward), (Int.max, .keysFastForward),
    ])
    func `a keys file's version may be at most a million above the highest version seen`(
        version: Int, code: CatalogSignatureFailure.Code?
    ) async throws {
        try await recordSeenVersions(of: publisher)

        #expect(try await verify(publisher.changed { $0.keysVersion = version }).failureCode == code)
        #expect(try await verify(publisher).failureCode == (code == nil ? .keysRollback : nil))
    }

    @Test func `a keys file of a new epoch, signed by a root key, permits lower catalog versions again`() async throws {
        try await recordSeenVersions(of: publisher.changed { $0.version = .max })
        #expect(try await verify(publisher).failureCode == .rollback)

        let recovered = publisher.changed {
            $0.signer = .sample(3)
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: SigningKey.sample(3).publicKey, expires: date + 86_400)],
                revoked: [publisher.signer.publicKey.identifierText], epoch: 2)
            $0.keysVersion = 2
        }
        try await recordSeenVersions(of: recovered)
        #expect(try await verify(publisher.changed { $0.version = .max }).isRefused)
        #expect(try await verify(recovered.changed { $0.version = 11 }).failureCode == .rollback)
    }

    @Test func `a catalog dated more than a day ahead is refused, and does not advance the trusted clock`() async throws
    {
        let ahead = publisher.changed {
            $0.issued += 86_401
            $0.expires += 86_400
        }
        #expect(try await verify(ahead).failureCode == .notYet)
        #expect(try await verify(publisher) == .valid(publisher.statement))
    }

    @Test func `a stolen key cannot advance the trusted clock day by day`() async throws {
        let tomorrow = publisher.changed { $0.issued += 86_400 }
        try await recordSeenVersions(of: tomorrow)

        let dayAfter = tomorrow.changed {
            $0.version += 1
            $0.issued += 86_400
        }
        #expect(try await verify(dayAfter).failureCode == .notYet)
        #expect(try await verify(publisher.changed { $0.version += 1 }).failureCode == nil)
    }

    @Test func `a keys file dated more than a day ahead is refused`() async throws {
        #expect(try await verify(publisher.changed { $0.keysIssued += 86_400 }).failureCode == nil)
        #expect(try await verify(publisher.changed { $0.keysIssued += 86_401 }).failureCode == .notYet)
    }

    @Test(arguments: [
        (1_000_001, nil), (1_000_002, CatalogSignatureFailure.Code.keysFastForward), (Int.max, .keysFastForward),
    ])
    func `a keys file's epoch may be at most a million above the highest epoch seen`(
        epoch: Int, code: CatalogSignatureFailure.Code?
    ) async throws {
        try await recordSeenVersions(of: publisher)
        let next = publisher.changed {
            $0.keys = CatalogKeys(keys: $0.keys.keys, revoked: [], epoch: epoch)
            $0.keysVersion = 2
        }

        #expect(try await verify(next).failureCode == code)
        #expect(try await verify(publisher).failureCode == (code == nil ? .keysRollback : nil))
    }
}
