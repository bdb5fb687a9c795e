import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct AppTransactionTests {
    private let identity: SigningIdentity
    private let payload = AppTransactionPayload(
        bundleIdentifier: "com.example.app", applicationVersion: "500", originalApplicationVersion: "150",
        originalPurchaseDate: Date(timeIntervalSince1970: 1_556_668_800), originalPlatform: "iOS",
        environment: .sandbox, signedDate: .sample)

    init() throws { identity = try SigningIdentity(commonName: "Test Store", around: .sample) }

    private func verify(
        _ token: String, bundle: String = "com.example.app", environment: StoreEnvironment = .sandbox
    ) async throws -> Verification<SignedAppTransaction> {
        await SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: bundle, environment: environment
        ).verify(appTransaction: token)
    }

    @Test func `an app transaction is verified with the root that it was signed under`() async throws {
        let token = try identity.sign(payload)
        let signed = try #require(try await verify(token).value)

        #expect(signed.payload == payload)
        #expect(signed.signedData == token)
    }

    @Test func `a signed app transaction has the field names of Apple's format`() throws {
        let token = try identity.sign(payload)
        let body = try #require(Base64URL.decode(token.split(separator: ".")[1]))
        let fields = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])

        #expect(
            Set(fields.keys) == [
                "bundleId", "applicationVersion", "originalApplicationVersion", "originalPurchaseDate",
                "originalPlatform", "receiptType", "receiptCreationDate",
            ])
        #expect(fields["receiptType"] as? String == "Sandbox")
        #expect(fields["originalPurchaseDate"] as? Int == 1_556_668_800_000)
    }

    @Test func `unknown fields of an app transaction are ignored, and its platform is optional`() async throws {
        let token = try identity.sign(
            payload: Data(
                """
                {"receiptType":"Sandbox","bundleId":"com.example.app","applicationVersion":"2","deviceVerification":"x",
                "originalApplicationVersion":"1","originalPurchaseDate":1556668800000,
                "receiptCreationDate":1790000000000,"appTransactionId":"7"}
                """.utf8))
        let signed = try #require(try await verify(token).value)

        #expect(signed.payload.originalPlatform == nil)
    }

    @Test func `an app transaction with a flipped bit is refused`() async throws {
        let token = Array(try identity.sign(payload).utf8)
        for index in stride(from: 0, to: token.count, by: 5) {
            var flipped = token
            flipped[index] ^= 1 << UInt8(index % 7)
            #expect(try await verify(String(decoding: flipped, as: UTF8.self)).value == nil, "byte \(index)")
        }
    }

    @Test func `an app transaction of another app and environment is refused`() async throws {
        let token = try identity.sign(payload)

        #expect(
            try await verify(token, bundle: "com.example.other", environment: .production).codes
                == [.bundleIdentifier, .environment])
    }

    @Test func `a transaction is not accepted as an app transaction, or an app transaction as a transaction`()
        async throws
    {
        #expect(try await verify(identity.sign(TransactionPayload.sample())).codes == [.payload])
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app", environment: .sandbox)
        #expect(await verifier.verify(transaction: try identity.sign(payload)).codes == [.payload])
    }

    @Test func `an app transaction without a version or with an impossible date is refused`() async throws {
        var (empty, early) = (payload, payload)
        empty.originalApplicationVersion = ""
        early.originalPurchaseDate = Date(timeIntervalSince1970: -1)

        #expect(try await verify(identity.sign(empty)).codes == [.payload])
        #expect(try await verify(identity.sign(early)).codes == [.payload])
    }

    @Test func `an app transaction is refused under another root`() async throws {
        let stranger = try SigningIdentity(commonName: "Test Store", around: .sample)

        #expect(try await verify(stranger.sign(payload)).codes == [.certificateChain])
    }
}
