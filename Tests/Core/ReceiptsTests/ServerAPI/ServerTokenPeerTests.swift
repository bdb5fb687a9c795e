import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Tokens that are verified by both Apple's own library and ours.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
struct ServerTokenPeerTests {
    private struct Made: Decodable {
        let pem, publicKey, token: String
        let seconds: Double
    }

    private struct Read: Decodable {
        let header: [String: String]
        let claims: JSONValue
    }

    private func ask<Answer: Decodable>(_ command: String, _ question: [String: String]) throws -> Answer {
        let result = try PeerTool.pythonWithPeers.run(
            Repository.file("Tests/Peers/server_token.py").path(percentEncoded: false), command,
            input: JSONEncoder().encode(question))
        try #require(result.status == 0, "\(result.output)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    @Test func `a token of Apple's library is read and verified with its key`() throws {
        let made: Made = try ask("make", ["kid": "ABC123DEFG", "issuer": "issuer", "bundle": "com.example.app"])
        let token = try #require(ServerToken(made.token))

        #expect(token.keyIdentifier == "ABC123DEFG")
        #expect(token.issuer == "issuer")
        #expect(token.audience == ServerToken.audienceOfStore)
        #expect(token.bundleIdentifier == "com.example.app")
        #expect(token.issued == nil)
        #expect(abs(try #require(token.expiry).timeIntervalSince1970 - made.seconds - 300) <= 2)
        #expect(token.isSigned(by: try ServerPublicKey(pem: made.publicKey)))
        #expect(token.isSigned(by: try ServerPublicKey(pem: ServerAPISample().key.publicKeyPEM)) == false)

        let key = try AppStoreServerKey(pem: made.pem, identifier: "ABC123DEFG", issuer: "issuer")
        let ours = try #require(ServerToken(key.token(for: "com.example.app", at: Date())))
        #expect(ours.isSigned(by: try ServerPublicKey(pem: made.publicKey)))
    }

    @Test func `PyJWT verifies our server tokens`() throws {
        let (sample, now) = (ServerAPISample(), Date())
        let read: Read = try ask(
            "read",
            [
                "token": sample.key.token(for: ServerAPISample.app, at: now), "publicKey": sample.key.publicKeyPEM,
                "issuer": ServerAPISample.issuer,
            ])
        let seconds = Int64(now.timeIntervalSince1970.rounded(.down))

        #expect(read.header == ["alg": "ES256", "kid": "ABC123DEFG", "typ": "JWT"])
        #expect(
            read.claims
                == .object([
                    "iss": .string(ServerAPISample.issuer), "aud": .string("appstoreconnect-v1"),
                    "bid": .string("com.example.app"), "iat": .integer(seconds), "exp": .integer(seconds + 300),
                ]))
    }

    @Test func `Apple's library signs tokens with a key that our library has generated`() throws {
        let key = ServerAPISample().key
        let made: Made = try ask("make", ["kid": "K", "issuer": "I", "bundle": "B", "pem": key.pem])

        #expect(try #require(ServerToken(made.token)).isSigned(by: try ServerPublicKey(pem: key.publicKeyPEM)))
    }
}
