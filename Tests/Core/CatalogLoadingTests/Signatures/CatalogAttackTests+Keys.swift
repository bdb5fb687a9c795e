import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

extension CatalogAttackTests {
    @Test func `a signing key is valid until the second before it expires`() async throws {
        let expiry = date + 86_400
        let short = publisher.changed {
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.signer.publicKey, expires: expiry)], revoked: [], epoch: 1)
        }

        #expect(try await verify(short, at: expiry - 1) == .valid(short.statement))
        #expect(try await verify(short, at: expiry).outOfDateCode == .keyExpired)
        #expect(try await verify(short, at: expiry + 1).outOfDateCode == .keyExpired)
    }

    @Test func `an expired key cannot sign a catalog dated after its expiration, even if the clock is set back`()
        async throws
    {
        let late = publisher.changed {
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.signer.publicKey, expires: date - 60)], revoked: [], epoch: 1)
            $0.keysIssued = date - 3_600
        }

        #expect(try await verify(late, at: date - 3_600).outOfDateCode == .keyExpired)
    }

    @Test func `a revoked key is refused, whether or not the keys file still lists it`() async throws {
        let identifier = publisher.signer.publicKey.identifierText
        let named = publisher.changed {
            $0.keys = CatalogKeys(keys: $0.keys.keys, revoked: [identifier], epoch: 1)
        }
        let unnamed = publisher.changed { $0.keys = CatalogKeys(keys: [], revoked: [identifier], epoch: 1) }

        #expect(try await verify(named).outOfDateCode == .keyRevoked)
        #expect(
            try await verify(unnamed)
                == .invalid(.init(.keyRevoked, "the catalog's signature: the signing key \(identifier) is revoked")))
    }

    @Test func `a catalog signed by a root key is refused, even if the keys file lists that key`() async throws {
        let careless = publisher.changed {
            $0.signer = $0.root
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.root.publicKey, expires: date + 86_400)], revoked: [], epoch: 1)
        }

        #expect(try await verify(careless).failureCode == .malformed)
        #expect(try await verify(publisher.changed { $0.signer = $0.root }).failureCode == .unknownKey)
    }
}
