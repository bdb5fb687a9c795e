import Crypto
import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Tokens that Xcode signs with one self-signed certificate.
@Suite(.timeLimit(.minutes(45))) struct XcodeTokenTests {
    private let key = P256.Signing.PrivateKey()
    private let certificate: Certificate
    private let payload: TransactionPayload

    init() throws {
        let name = try DistinguishedName { CommonName("StoreKit Testing in Xcode") }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: .sample - 1_000, notValidAfter: .sample + 1_000, issuer: name, subject: name,
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(key))
        var payload = TransactionPayload.sample()
        payload.environment = .xcode
        self.payload = payload
    }

    private func token(_ payload: some Encodable) throws -> String {
        let header = try JSONSerialization.data(withJSONObject: [
            "alg": "ES256", "kid": "Apple_Xcode_Key", "typ": "JWT", "x5c": [certificate.base64],
        ])
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(try payload.signedJSON()))"
        return "\(input).\(Base64URL.encode(try key.signature(for: Data(input.utf8)).rawRepresentation))"
    }

    private func verifier(
        _ environment: StoreEnvironment, roots: TrustedRoots? = nil
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try roots ?? TrustedRoots(xcodePEM: certificate.serializeAsPEM().pemString),
            bundleIdentifier: "com.example.app", environment: environment, now: { .sample })
    }

    @Test(arguments: [StoreEnvironment.xcode, .localTesting])
    func `an Xcode token is verified with Xcode's certificate`(environment: StoreEnvironment) async throws {
        var payload = payload
        payload.environment = environment
        #expect(try await verifier(environment).verify(transaction: token(payload)).value?.payload == payload)
    }

    @Test(arguments: [StoreEnvironment.production, .sandbox, StoreEnvironment(rawValue: "Elsewhere")])
    func `an Xcode token is refused for production, the sandbox and unknown environments`(environment: StoreEnvironment)
        async throws
    {
        var payload = payload
        payload.environment = environment
        #expect(try await verifier(environment).verify(transaction: token(payload)).codes == [.environment])
        #expect(try await verifier(.xcode).verify(transaction: token(payload)).codes == [.environment])
        #expect(try await verifier(environment).verify(transaction: token(self.payload)).codes == [.environment])
    }

    @Test func `an Xcode token is refused in every environment without Xcode's certificate`() async throws {
        for environment in [StoreEnvironment.xcode, .localTesting, .sandbox, .production] {
            var payload = payload
            payload.environment = environment
            for roots in [TrustedRoots.apple, .none, try TestChain().roots] {
                #expect(
                    try await verifier(environment, roots: roots).verify(transaction: token(payload)).codes
                        == [.certificateChain])
            }
        }
    }

    @Test func `a certificate that is trusted as Xcode's cannot issue other certificates`() async throws {
        let chain = try TestChain()
        let roots = try TrustedRoots(xcodePEM: chain.certificates[2].serializeAsPEM().pemString)
        #expect(
            try await verifier(.xcode, roots: roots).verify(transaction: chain.token(payload)).codes
                == [.certificateChain])
    }

    @Test func `an expired Xcode certificate is refused`() async throws {
        var payload = payload
        payload.signedDate += 2_000
        #expect(try await verifier(.xcode).verify(transaction: token(payload)).codes == [.certificateValidity])
    }

    @Test func `an app transaction with an unknown purchase date is accepted from Xcode only`() async throws {
        var payload = AppTransactionPayload(
            bundleIdentifier: "com.example.app", applicationVersion: "1", originalApplicationVersion: "1",
            originalPurchaseDate: .distantPast, originalPlatform: nil, environment: .xcode, signedDate: .sample)
        #expect(try await verifier(.xcode).verify(appTransaction: token(payload)).value?.payload == payload)

        payload.environment = .sandbox
        let chain = try TestChain()
        #expect(try await chain.verifier().verify(appTransaction: chain.token(payload)).codes == [.payload])
    }
}
