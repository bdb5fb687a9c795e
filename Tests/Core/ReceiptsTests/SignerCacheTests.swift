import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct SignerCacheTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private func verifier(validity: CertificateValidity = .whenSigned) throws -> SignedDataVerifier {
        try chain.verifier(validity: validity)
    }

    /// Returns a unique header with the same certificate chain.
    private func header(_ number: Int) throws -> Data {
        // The order of a dictionary's keys differs from one dictionary to the next.
        try JSONSerialization.data(
            withJSONObject: ["alg": "ES256", "kid": "\(number)", "x5c": chain.x5c], options: .sortedKeys)
    }

    private func segment(_ token: String) throws -> ArraySlice<UInt8> { try CompactJWS(token).header }

    @Test func `a certificate chain is cached after a successful verification`() async throws {
        let verifier = try verifier()
        let token = try chain.token(TransactionPayload.sample())
        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(verifier.signers.entry(for: try segment(token), at: .sample) != nil)
        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(verifier.signers.count == 1)
    }

    @Test func `a cached certificate chain is used only for an identical token header`() async throws {
        let verifier = try verifier()
        let token = try chain.token(header: header(1), TransactionPayload.sample())
        _ = await verifier.verify(transaction: token)
        let other = try chain.token(header: header(2), TransactionPayload.sample())

        #expect(verifier.signers.entry(for: try segment(token), at: .sample) != nil)
        #expect(verifier.signers.entry(for: try segment(other), at: .sample) == nil)
        #expect(verifier.signers.entry(for: try segment(token).dropLast(), at: .sample) == nil)
    }

    @Test func `a valid certificate chain is not cached if the token's signature is invalid`() async throws {
        let verifier = try verifier()
        let stranger = try TestChain()
        let token = try stranger.token(header: chain.header(), TransactionPayload.sample())
        #expect(await verifier.verify(transaction: token).codes == [.signature])
        #expect(verifier.signers.count == 0)
    }

    @Test func `a cached certificate chain does not verify a forged signature`() async throws {
        let verifier = try verifier()
        _ = await verifier.verify(transaction: try chain.token(TransactionPayload.sample()))
        let forged = try TestChain().token(header: chain.header(), TransactionPayload.sample())
        #expect(await verifier.verify(transaction: forged).codes == [.signature])
    }

    @Test func `the validity dates of a cached certificate chain are checked each time`() async throws {
        let verifier = try verifier()
        var payload = TransactionPayload.sample()
        #expect(await verifier.verify(transaction: try chain.token(payload)).value != nil)
        payload.signedDate += 2_000
        #expect(await verifier.verify(transaction: try chain.token(payload)).codes == [.certificateValidity])
    }

    @Test func `the app and environment of a token with a cached certificate chain are checked each time`() async throws
    {
        let verifier = try verifier()
        var payload = TransactionPayload.sample()
        #expect(await verifier.verify(transaction: try chain.token(payload)).value != nil)
        payload.environment = .production
        payload.bundleIdentifier = "com.example.other"
        #expect(
            await verifier.verify(transaction: try chain.token(payload)).codes == [.bundleIdentifier, .environment])
    }

    @Test func `a certificate chain is cached for 15 minutes, and is not used if the clock is set back`() async throws {
        let verifier = try verifier()
        let token = try chain.token(TransactionPayload.sample())
        _ = await verifier.verify(transaction: token)
        let header = try segment(token)

        #expect(verifier.signers.entry(for: header, at: .sample + 899) != nil)
        #expect(verifier.signers.entry(for: header, at: .sample + 900) == nil)
        #expect(verifier.signers.entry(for: header, at: .sample - 1) == nil)
    }

    @Test func `at most 32 certificate chains are cached, and the oldest are removed`() async throws {
        let verifier = try verifier()
        let tokens = try (0..<40).map { try chain.token(header: header($0), TransactionPayload.sample()) }
        for token in tokens { #expect(await verifier.verify(transaction: token).value != nil) }

        #expect(verifier.signers.count == SignerCache.capacity)
        let known = try tokens.map { verifier.signers.entry(for: try segment($0), at: .sample) != nil }
        #expect(known == Array(repeating: false, count: 8) + Array(repeating: true, count: 32))
    }

    @Test func `concurrent verifications with shared certificate chains all succeed`() async throws {
        let verifier = try verifier()
        let tokens = try (0..<8).map { try chain.token(header: header($0 % 2), TransactionPayload.sample()) }
        await withTaskGroup { group in
            for token in tokens {
                group.addTask { await verifier.verify(transaction: token).value != nil }
            }
            for await isVerified in group { #expect(isVerified) }
        }
        #expect(verifier.signers.count == 2)
    }
}
