import Foundation
import TestSupport
import Testing
import X509

@testable import Receipts

@Suite(.timeLimit(.minutes(45))) struct SigningIdentityTests {
    @Test func `an identity that was kept signs under the same root`() async throws {
        let identity = try SigningIdentity(commonName: "Test Store", around: .sample)
        let kept = try SigningIdentity(pem: identity.pem)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app",
            environment: .sandbox)

        #expect(try kept.rootPEM == identity.rootPEM)
        #expect(await verifier.verify(transaction: try kept.sign(TransactionPayload.sample())).value != nil)
    }

    @Test func `the chain has the shape of the App Store's`() throws {
        let root = try TrustedRoots(pem: SigningIdentity(commonName: "Test Store", around: .sample).rootPEM)
        let certificate = try #require(root.certificates.first)

        #expect(certificate.issuer == certificate.subject)
        #expect(try certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 1))
        #expect(try certificate.extensions.subjectKeyIdentifier != nil)
        #expect(try certificate.extensions.authorityKeyIdentifier != nil)
        #expect(certificate.signatureAlgorithm == .ecdsaWithSHA384)
    }

    @Test(arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
    func `what is no certificate is no root`(pem: String) {
        #expect(throws: SignedDataError.self) { try TrustedRoots(pem: pem) }
    }
}
