import CatalogLoading
import Foundation
import ProductCatalog
import TestSupport
import Testing

extension CatalogAttackTests {
    @Test func `a key counts until the second before it expires`() async throws {
        let expiry = date + 86_400
        let short = publisher.changed {
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.signer.publicKey, expires: expiry)], revoked: [], epoch: 1)
        }

        #expect(try await verify(short, at: expiry - 1) == .valid(short.statement))
        #expect(try await verify(short, at: expiry).outOfDateCode == .keyExpired)
        #expect(try await verify(short, at: expiry + 1).outOfDateCode == .keyExpired)
    }

    @Test func `an expired key cannot sign what is dated later, wherever the clock stands`() async throws {
        let late = publisher.changed {
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.signer.publicKey, expires: date - 60)], revoked: [], epoch: 1)
            $0.keysIssued = date - 3_600
        }

        #expect(try await verify(late, at: date - 3_600).outOfDateCode == .keyExpired)
    }

    @Test func `a revoked key does not count, whether the keys still name it or not`() async throws {
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

    @Test func `a root signs no catalog, even where the keys name it`() async throws {
        let careless = publisher.changed {
            $0.signer = $0.root
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: $0.root.publicKey, expires: date + 86_400)], revoked: [], epoch: 1)
        }

        #expect(try await verify(careless).failureCode == .malformed)
        #expect(try await verify(publisher.changed { $0.signer = $0.root }).failureCode == .unknownKey)
    }
}
