import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import SwiftASN1
import Synchronization
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Certificates that make their verification slow.
@Suite(.hangLimit) struct CertificateLimitsTests {
    private let validity = (Date.sample - 1_000)...(Date.sample + 1_000)

    private func reasons(_ container: ForgedContainer, roots: TrustedRoots) async throws -> [String] {
        let verifier = AppReceiptVerifier(
            roots: roots, bundleIdentifier: "com.example.app", environment: .sandbox, deviceIdentifier: .device,
            now: { .sample })
        guard case .rejected(let reasons) = await verifier.verify(receipt: try container.der()) else { return [] }
        return reasons.map(\.reason)
    }

    // MARK: Keys

    static let slowKeys: [(id: String, modulus: Data, exponent: Data)] = [
        ("a modulus of 8192 bits", Data(repeating: 0xC3, count: 1_024), Data([1, 0, 1])),
        ("a modulus of 4104 bits", Data(repeating: 0xC3, count: 513), Data([1, 0, 1])),
        ("an exponent of 33 bits", Data(repeating: 0xC3, count: 256), Data([1, 0, 0, 0, 1])),
    ]

    private func certificate(modulus: Data, exponent: Data) throws -> Certificate {
        let root = P384.Signing.PrivateKey()
        let issuer = CertificateTemplate(name: "Root", publicKey: .init(root.publicKey), authority: .pathLength(1))
        let key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
        return try CertificateTemplate(name: "Intermediate", publicKey: .init(key), authority: .pathLength(0))
            .certificate(issuedBy: issuer, key: .init(root), validity: validity)
    }

    @Test(arguments: slowKeys)
    func `a receipt with a certificate whose RSA key is large is refused`(id: String, modulus: Data, exponent: Data)
        async throws
    {
        let chain = try ForgedChain()
        var container = try ForgedContainer(chain: chain)
        container.certificates.append(try certificate(modulus: modulus, exponent: exponent))

        #expect(
            try await reasons(container, roots: TrustedRoots(pem: chain.rootPEM)) == [
                "the PKCS#7 container has a certificate whose RSA key has more than 4096 bits, or an exponent of more "
                    + "than 32"
            ])
    }

    @Test(arguments: slowKeys)
    func `a token with a certificate whose RSA key is large is refused`(id: String, modulus: Data, exponent: Data)
        async throws
    {
        let chain = try TestChain()
        let large = try certificate(modulus: modulus, exponent: exponent).base64
        let header = try chain.header(x5c: [chain.x5c[0], large, chain.x5c[2]])
        let token = try chain.token(header: header, TransactionPayload.sample())
        guard case .rejected(let reasons) = try await chain.verifier().verify(transaction: token) else {
            Issue.record("the token is not refused")
            return
        }

        #expect(reasons.map(\.code) == [.malformed])
        #expect(
            reasons.map(\.reason) == [
                "the JWS header has a certificate whose RSA key has more than 4096 bits, or an exponent of more than 32"
            ])
    }

    @Test(arguments: [Data([3]), Data([1, 0, 1]), Data([0xFF, 0xFF, 0xFF, 0xFF])])
    func `a certificate with an RSA key of 4096 bits and an exponent of at most 32 bits is read`(exponent: Data) throws
    {
        let certificate = try certificate(modulus: Data(repeating: 0xC3, count: 512), exponent: exponent)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)

        #expect(try Certificate(received: serializer.serializedBytes[...], in: "the test") == certificate)
    }

    // MARK: Chains

    /// Returns certificates of one name and one key, each of which may have issued the others.
    private func loop(_ count: Int, key: Certificate.PrivateKey, lastIssuer: DistinguishedName) throws -> [Certificate]
    {
        let name = try DistinguishedName { CommonName("Loop") }
        return try (0..<count).map { index in
            try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
                notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
                issuer: index == count - 1 ? lastIssuer : name, subject: name,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    SubjectAlternativeNames([.dnsName("\(index).example.com")])
                }, issuerPrivateKey: key)
        }
    }

    @Test func `certificates of one name and key are not tried in all orders`() async throws {
        let (root, key) = (P384.Signing.PrivateKey(), Certificate.PrivateKey(P384.Signing.PrivateKey()))
        let leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let anchor = CertificateTemplate(name: "Root", publicKey: .init(root.publicKey), authority: .pathLength(9))
        let bridge = try CertificateTemplate(name: "Bridge", publicKey: key.publicKey, authority: .pathLength(8))
            .certificate(issuedBy: anchor, key: .init(root), validity: validity)
        let loop = try loop(6, key: key, lastIssuer: bridge.subject)
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(leafKey.publicKey),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: loop[0].subject,
            subject: try DistinguishedName { CommonName("Leaf") },
            extensions: try Certificate.Extensions {
                Certificate.Extension(oid: AppleMarkerOIDs.leaf, critical: false, value: [0x05, 0x00])
            }, issuerPrivateKey: key)
        var chain = try ForgedChain()
        chain.certificates = [leaf] + loop + [bridge]
        let container = try ForgedContainer(chain: chain)
        let trusted = try anchor.certificate(issuedBy: anchor, key: .init(root), validity: validity)
        let reasons = try await reasons(
            container, roots: TrustedRoots(pem: trusted.serializeAsPEM().pemString))

        // A chain of more than three certificates would be a reason of its own, for each of the orders.
        #expect(reasons.contains("the signer's certificates do not lead to a trusted root"))
    }

    @Test(arguments: [false, true])
    func `a receipt's issuer is found among certificates of the same name, in any order`(isReversed: Bool) async throws
    {
        let chain = try ForgedChain()
        let other = P384.Signing.PrivateKey()
        let namesake = CertificateTemplate(
            name: "Intermediate", publicKey: .init(other.publicKey), authority: .pathLength(0))
        var container = try ForgedContainer(chain: chain)
        container.certificates.insert(
            try namesake.certificate(issuedBy: namesake, key: .init(other), validity: validity), at: 1)
        if isReversed { container.certificates.reverse() }

        #expect(try await reasons(container, roots: TrustedRoots(pem: chain.rootPEM)) == [])
    }

    // MARK: OCSP

    /// Transport that sends nothing, and notes the limits of the requests.
    private final class LimitRecorder: HTTPTransport {
        let sizes = Mutex<[Int]>([])

        func receive(
            _ request: HTTPRequest, body: Data, limits: HTTPLimits,
            head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
            part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
        ) async throws(HTTPTransportError) {
            sizes.withLock { $0.append(limits.size) }
            throw HTTPTransportError(code: .connection, reason: "the recorder sends nothing")
        }
    }

    @Test func `an OCSP answer may have 64 KiB at most`() async throws {
        let chain = try TestChain { $0.responder = "http://ocsp.example.com/" }
        let recorder = LimitRecorder()
        let verifier = SignedDataVerifier(
            roots: try chain.roots, bundleIdentifier: "com.example.app", environment: .sandbox, revocation: recorder,
            now: { .sample })
        let verification = await verifier.verify(transaction: try chain.token(TransactionPayload.sample()))

        #expect(verification.reason != nil)
        #expect(Set(recorder.sizes.withLock { $0 }) == [64 * 1024])
    }
}
