import Foundation
import TestSupport
import Testing

@testable import Receipts

@Suite(.timeLimit(.minutes(45))) struct SignerCacheTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private func verifier(validity: CertificateValidity = .whenSigned) throws -> SignedDataVerifier {
        try chain.verifier(validity: validity)
    }

    /// A header that differs from every other, and stands for the same chain.
    private func header(_ number: Int) throws -> Data {
        try JSONSerialization.data(withJSONObject: ["alg": "ES256", "kid": "\(number)", "x5c": chain.x5c])
    }

    private func segment(_ token: String) throws -> ArraySlice<UInt8> { try CompactJWS(token).header }

    @Test func `a chain is kept once it has proved to be good`() async throws {
        let verifier = try verifier()
        let token = try chain.token(TransactionPayload.sample())
        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(verifier.signers.entry(for: try segment(token), at: .sample) != nil)
        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(verifier.signers.count == 1)
    }

    @Test func `it holds for the same header to the byte, and no other`() async throws {
        let verifier = try verifier()
        let token = try chain.token(header: header(1), TransactionPayload.sample())
        _ = await verifier.verify(transaction: token)
        let other = try chain.token(header: header(2), TransactionPayload.sample())

        #expect(verifier.signers.entry(for: try segment(token), at: .sample) != nil)
        #expect(verifier.signers.entry(for: try segment(other), at: .sample) == nil)
        #expect(verifier.signers.entry(for: try segment(token).dropLast(), at: .sample) == nil)
    }

    @Test func `whoever cannot sign is not kept, though the chain is good`() async throws {
        let verifier = try verifier()
        let stranger = try TestChain()
        let token = try stranger.token(header: chain.header(), TransactionPayload.sample())
        #expect(await verifier.verify(transaction: token).codes == [.signature])
        #expect(verifier.signers.count == 0)
    }

    @Test func `a chain that is known signs nothing that it has not signed`() async throws {
        let verifier = try verifier()
        _ = await verifier.verify(transaction: try chain.token(TransactionPayload.sample()))
        let forged = try TestChain().token(header: chain.header(), TransactionPayload.sample())
        #expect(await verifier.verify(transaction: forged).codes == [.signature])
    }

    @Test func `the dates of a chain that is known are checked each time`() async throws {
        let verifier = try verifier()
        var payload = TransactionPayload.sample()
        #expect(await verifier.verify(transaction: try chain.token(payload)).value != nil)
        payload.signedDate += 2_000
        #expect(await verifier.verify(transaction: try chain.token(payload)).codes == [.certificateValidity])
    }

    @Test func `app and environment are checked each time`() async throws {
        let verifier = try verifier()
        var payload = TransactionPayload.sample()
        #expect(await verifier.verify(transaction: try chain.token(payload)).value != nil)
        payload.environment = .production
        payload.bundleIdentifier = "com.example.other"
        #expect(
            await verifier.verify(transaction: try chain.token(payload)).codes == [.bundleIdentifier, .environment])
    }

    @Test func `it is kept for 15 minutes, and not longer where the clock is set back`() async throws {
        let verifier = try verifier()
        let token = try chain.token(TransactionPayload.sample())
        _ = await verifier.verify(transaction: token)
        let header = try segment(token)

        #expect(verifier.signers.entry(for: header, at: .sample + 899) != nil)
        #expect(verifier.signers.entry(for: header, at: .sample + 900) == nil)
        #expect(verifier.signers.entry(for: header, at: .sample - 1) == nil)
    }

    @Test func `no more than 32 are kept, and the oldest makes room`() async throws {
        let verifier = try verifier()
        let tokens = try (0..<40).map { try chain.token(header: header($0), TransactionPayload.sample()) }
        for token in tokens { #expect(await verifier.verify(transaction: token).value != nil) }

        #expect(verifier.signers.count == SignerCache.capacity)
        let known = try tokens.map { verifier.signers.entry(for: try segment($0), at: .sample) != nil }
        #expect(known == Array(repeating: false, count: 8) + Array(repeating: true, count: 32))
    }

    @Test func `many at once are verified alike`() async throws {
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
