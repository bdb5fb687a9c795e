import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Tokens that Xcode signs with one self-signed certificate.
@Suite(.hangLimit) struct XcodeTokenTests {
    private let xcode: XcodeSigner
    private let payload: TransactionPayload

    init() throws {
        xcode = try XcodeSigner(validity: .sample - 1_000 ... .sample + 1_000)
        var payload = TransactionPayload.sample()
        payload.environment = .xcode
        self.payload = payload
    }

    private func token(_ payload: some Encodable) throws -> String { try xcode.sign(payload.signedJSON()) }

    private func verifier(
        _ environment: StoreEnvironment, roots: TrustedRoots? = nil
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try roots ?? TrustedRoots(xcodeData: xcode.der),
            bundleIdentifier: "com.example.app", environment: environment, now: { .sample })
    }

    @Test(arguments: [StoreEnvironment.xcode, .localTesting])
    func `an Xcode token is verified with Xcode's certificate`(environment: StoreEnvironment) async throws {
        var payload = payload
        payload.environment = environment
        #expect(try await verifier(environment).verify(transaction: token(payload)).value?.payload == payload)
    }

    @Test(arguments: ["PEM", "DER"])
    func `Xcode's certificate is read in PEM and in DER`(format: String) async throws {
        let pem = try xcode.certificate.serializeAsPEM().pemString
        let roots = try TrustedRoots(xcodeData: format == "PEM" ? Data(pem.utf8) : xcode.der)
        #expect(try await verifier(.xcode, roots: roots).verify(transaction: token(payload)).value?.payload == payload)
        #expect(throws: SignedDataError.self) { try TrustedRoots(xcodeData: xcode.der.dropLast()) }
        #expect(throws: SignedDataError.self) { try TrustedRoots(xcodeData: Data()) }
    }

    @Test func `a debug build can trust each Xcode certificate, for Xcode's environment alone`() async throws {
        let stranger = try XcodeSigner(validity: .sample - 1_000 ... .sample + 1_000)
        let roots = TrustedRoots.anyXcodeCertificate
        let token = try stranger.sign(payload.signedJSON())
        #expect(try await verifier(.xcode, roots: roots).verify(transaction: token).value?.payload == payload)
        for environment in [StoreEnvironment.production, .sandbox] {
            var payload = payload
            payload.environment = environment
            let token = try stranger.sign(payload.signedJSON())
            #expect(
                try await verifier(environment, roots: roots).verify(transaction: token).codes == [.environment])
        }
        let chain = try TestChain()
        #expect(
            try await verifier(.xcode, roots: roots).verify(transaction: chain.token(payload)).codes
                == [.certificateChain])
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
        let roots = try TrustedRoots(xcodeData: Data(chain.certificates[2].serializeAsPEM().pemString.utf8))
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
