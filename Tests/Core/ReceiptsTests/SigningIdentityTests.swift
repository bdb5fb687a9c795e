import Foundation
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

@Suite(.hangLimit) struct SigningIdentityTests {
    @Test func `a signing identity restored from PEM signs under the same root`() async throws {
        let identity = try SigningIdentity(commonName: "Test Store", around: .sample)
        let stored = try SigningIdentity(pem: identity.pem)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app",
            environment: .sandbox)

        #expect(try stored.rootPEM == identity.rootPEM)
        #expect(await verifier.verify(transaction: try stored.sign(TransactionPayload.sample())).value != nil)
    }

    @Test func `the root certificate has the structure of the App Store's root`() throws {
        let root = try TrustedRoots(pem: SigningIdentity(commonName: "Test Store", around: .sample).rootPEM)
        let certificate = try #require(root.certificates.first)

        #expect(certificate.issuer == certificate.subject)
        #expect(try certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 1))
        #expect(try certificate.extensions.subjectKeyIdentifier != nil)
        #expect(try certificate.extensions.authorityKeyIdentifier != nil)
        #expect(certificate.signatureAlgorithm == .ecdsaWithSHA384)
    }

    @Test(arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
    func `a text that is not a certificate is refused as a root`(pem: String) {
        #expect(throws: SignedDataError.self) { try TrustedRoots(pem: pem) }
    }
}
