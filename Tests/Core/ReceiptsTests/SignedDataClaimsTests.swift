import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct SignedDataClaimsTests {
    @Test func `the claims of a token are read without checking its signature`() throws {
        let chain = try TestChain()
        let token = try chain.token(TransactionPayload.sample())
        let forged = token.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA"
        let read = try SignedDataClaims(unverified: forged)

        #expect((read.algorithm, read.keyIdentifier, read.kind) == ("ES256", nil, .transaction))
        #expect(read.certificates.map(\.subject).first == "Test Leaf")
        #expect(read.certificates.map(\.notValidAfter) == Array(repeating: .sample + 1_000, count: 3))
        #expect((read.bundleIdentifier, read.environment) == ("com.example.app", .sandbox))
        #expect(read.payload["productId"] == .string("com.example.app.coins"))
    }

    @Test func `a token's key identifier is read, even if its algorithm is not accepted`() throws {
        let header = Base64URL.encode(Data(#"{"alg":"HS256","kid":"K"}"#.utf8))
        let read = try SignedDataClaims(unverified: "\(header).\(Base64URL.encode(Data("{}".utf8))).")
        #expect((read.algorithm, read.keyIdentifier, read.kind) == ("HS256", "K", nil))
        #expect(read.certificates.isEmpty)
    }

    @Test(arguments: [
        "": RejectionReason.Code.malformed, "a.b": .malformed, "a.b.c": .malformed, "e30.e30.": .malformed,
        "eyJhbGciOiJFUzI1NiJ9.AA.": .payload, "eyJhbGciOiJFUzI1NiJ9..": .payload,
        "eyJhbGciOiJFUzI1NiIsIng1YyI6WyJBQUFBIl19.e30.": .malformed,
    ])
    func `a token that cannot be read is refused with a reason`(token: String, code: RejectionReason.Code) {
        #expect(throws: RejectionReason.self) { try SignedDataClaims(unverified: token) }
        do { _ = try SignedDataClaims(unverified: token) } catch { #expect(error.code == code) }
    }
}
