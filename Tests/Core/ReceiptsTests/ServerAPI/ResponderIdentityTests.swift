import Foundation
import SwiftASN1
import Testing
import VitrineSupport
import VitrineTestSupport
import X509

@testable import VitrineReceipts

@Suite(.hangLimit) struct ResponderIdentityTests {
    private let address = URL(string: "http://127.0.0.1:8080/ocsp?store=1") ?? URL(filePath: "/")

    @Test func `certificates are reissued with an OCSP responder address and the same names, keys and dates`() throws {
        let identity = try SigningIdentity.make()
        let named = try identity.naming(responder: address)
        let (old, new) = (try identity.certificates, try named.certificates)

        #expect(identity.responder == nil)
        #expect(named.responder == address)
        #expect(new[2] == old[2])
        for (old, new) in zip(old, new).prefix(2) {
            #expect(new.serialNumber != old.serialNumber)
            #expect((new.subject, new.issuer) == (old.subject, old.issuer))
            #expect((new.notValidBefore, new.notValidAfter) == (old.notValidBefore, old.notValidAfter))
            #expect(new.publicKey == old.publicKey)
            #expect(new.signatureAlgorithm == old.signatureAlgorithm)
            #expect(Array(new.extensions.prefix(old.extensions.count)) == Array(old.extensions))
            #expect(
                try new.extensions.authorityInformationAccess
                    == AuthorityInformationAccess([
                        .init(method: .ocspServer, location: .uniformResourceIdentifier(address.absoluteString))
                    ]))
            #expect(new.extensions.count == old.extensions.count + 1)
        }
    }

    @Test func `a second OCSP responder address in reissued certificates replaces the first`() throws {
        let other = try #require(URL(string: "http://127.0.0.1:9090/"))
        let moved = try SigningIdentity.make().naming(responder: address).naming(responder: other)

        #expect(moved.responder == other)
        #expect(try moved.certificates[0].extensions.authorityInformationAccess?.count == 1)
    }

    @Test func `transactions signed before and after an OCSP responder is added are verified under the same root`()
        async throws
    {
        let identity = try SigningIdentity.make()
        let named = try identity.naming(responder: address)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app", environment: .sandbox)

        for identity in [identity, named] {
            #expect(await verifier.verify(transaction: try identity.sign(TransactionPayload.sample())).value != nil)
        }
    }

    @Test func `a signing identity restored from PEM has its OCSP address and can reissue its certificates`()
        throws
    {
        let identity = try SigningIdentity.make().naming(responder: address)
        let stored = try SigningIdentity(pem: identity.pem)

        #expect(try identity.documents.count == 6)
        #expect(try stored.pem == identity.pem)
        #expect(stored.responder == address)
        #expect(try stored.naming(responder: address).certificates[2] == identity.certificates[2])
    }

    @Test(arguments: [
        "swapped keys": [0, 1, 2, 3, 5, 4], "one key": [0, 1, 2, 3, 4], "one key twice": [0, 1, 2, 3, 4, 4],
        "the signer's key": [0, 1, 2, 3, 0, 5], "certificates for keys": [0, 1, 2, 3, 2, 3],
        "seven documents": [0, 1, 2, 3, 4, 5, 5], "two certificates": [0, 1, 2],
        "no keys of the issuers": [0, 1, 2, 3],
    ])
    func `a PEM text with wrong, missing or misordered documents is refused as a signing identity`(
        _: String, order: [Int]
    ) throws {
        let documents = try SigningIdentity.make().documents
        let pem = order.map { documents[$0].pemString }.joined(separator: "\n")

        #expect(throws: (any Error).self) { try SigningIdentity(pem: pem) }
    }

    @Test func `a signing identity with issuer keys of another root is refused`() throws {
        let (one, other) = (try SigningIdentity.make().documents, try SigningIdentity.make().documents)
        let pem = (one[..<4] + other[4...]).map(\.pemString).joined(separator: "\n")

        #expect(throws: SignedDataError.self) { try SigningIdentity(pem: pem) }
    }

    @Test func `a receipt signing identity has four PEM documents, and is refused with more`() throws {
        let pem = try ReceiptSigningIdentity.sample.pem
        let keys = try SigningIdentity.make().documents[4...].map(\.pemString)

        #expect(try PEMDocument.parseMultiple(pemString: pem).count == 4)
        #expect(throws: SignedDataError.self) {
            try ReceiptSigningIdentity(pem: ([pem] + keys).joined(separator: "\n"))
        }
    }
}
