import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct SignedDataVerifierTests {
    private let identity: SigningIdentity
    private let payload = TransactionPayload.sample()

    init() throws {
        identity = try SigningIdentity(commonName: "Test Store", around: Date.sample)
    }

    private func verify(
        _ token: String, roots: String? = nil, bundle: String = "com.example.app",
        environment: StoreEnvironment = .sandbox
    ) async throws -> Verification<SignedTransaction> {
        let roots = try TrustedRoots(pem: roots ?? identity.rootPEM)
        return await SignedDataVerifier(roots: roots, bundleIdentifier: bundle, environment: environment)
            .verify(transaction: token)
    }

    @Test func `a transaction is verified with the root that it was signed under`() async throws {
        let token = try identity.sign(payload)
        let signed = try #require(try await verify(token).value)

        #expect(signed.payload == payload)
        #expect(signed.signedData == token)
    }

    @Test func `a transaction is refused under another root and without roots`() async throws {
        let token = try identity.sign(payload)
        let other = try SigningIdentity(commonName: "Test Store", around: Date.sample).rootPEM

        #expect(try await verify(token, roots: other).codes == [.certificateChain])
        let nobody = SignedDataVerifier(roots: .none, bundleIdentifier: "com.example.app", environment: .sandbox)
        #expect(await nobody.verify(transaction: token).codes == [.certificateChain])
    }

    @Test func `a transaction token with a flipped bit is refused`() async throws {
        let token = Array(try identity.sign(payload).utf8)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app", environment: .sandbox)
        // So that what follows is held against a signer who is known.
        #expect(await verifier.verify(transaction: String(decoding: token, as: UTF8.self)).value != nil)
        let header = try #require(token.firstIndex(of: UInt8(ascii: ".")))
        for index in token.indices {
            // Each other header is that of another chain, which takes its time.
            for bit in index < header ? [UInt8(index % 8)] : Array(0..<8) {
                var flipped = token
                flipped[index] ^= 1 << bit
                let text = String(decoding: flipped, as: UTF8.self)
                #expect(await verifier.verify(transaction: text).value == nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func `a truncated transaction token is refused`() async throws {
        let token = try identity.sign(payload)
        for count in 0..<token.utf8.count {
            #expect(try await verify(String(token.prefix(count))).value == nil)
        }
    }

    @Test func `a signature with nonzero unused bits, padding or a line end is refused`() async throws {
        // 64 bytes end in a character of which four bits are used: the others have to be zero.
        let token = try identity.sign(payload)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let character = try #require(token.last)
        let last = try #require(alphabet.firstIndex(of: character))

        #expect(last.isMultiple(of: 16))
        #expect(try await verify(token.dropLast() + String(alphabet[last + 1])).codes == [.malformed])
        #expect(try await verify(token + "=").codes == [.malformed])
        #expect(try await verify(token + "\n").codes == [.malformed])
    }

    @Test func `a wrong app and a wrong environment of a transaction are both reported`() async throws {
        let token = try identity.sign(payload)

        #expect(try await verify(token, bundle: "com.example.other").codes == [.bundleIdentifier])
        #expect(try await verify(token, environment: .production).codes == [.environment])
        #expect(
            try await verify(token, bundle: "com.example.other", environment: .production).codes
                == [.bundleIdentifier, .environment])
    }

    @Test(
        arguments: [("", 1), ("null", 1), ("[]", 1), ("{}", 1), (#"{"transactionId": 1}"#, 1), ("[", 100_000)])
    func `a signed payload that is not a transaction is refused`(text: String, count: Int) async throws {
        let token = try identity.sign(payload: Data(String(repeating: text, count: count).utf8))
        #expect(try await verify(token).codes == [.payload])
    }

    @Test func `a transaction with impossible values is refused`() async throws {
        var noUnits = payload
        noUnits.quantity = 0
        var noName = payload
        noName.originalTransactionID = ""
        var farFuture = payload
        farFuture.signedDate = Date(timeIntervalSince1970: 1e15)

        for impossible in [noUnits, noName, farFuture] {
            #expect(try await verify(try identity.sign(impossible)).codes == [.payload])
        }
    }

    @Test func `a transaction date with fractions of a millisecond is read`() async throws {
        let text = String(decoding: try payload.signedJSON(), as: UTF8.self)
            .replacing("1790000000000", with: "1790000000000.5")
        let signed = try #require(try await verify(try identity.sign(payload: Data(text.utf8))).value)

        #expect(abs(signed.payload.signedDate.timeIntervalSince(Date.sample)) < 0.001)
    }

    @Test func `an oversized transaction token is refused`() async throws {
        #expect(try await verify(String(repeating: "a", count: 300_000)).codes == [.malformed])
    }
}
