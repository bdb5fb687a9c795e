import Crypto
import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct ServerTokenTests {
    private let sample = ServerAPISample()
    private let date = Date(timeIntervalSince1970: 1_790_000_000.75)

    /// Returns a token of three segments with the given bytes.
    private func token(
        header: String = #"{"alg":"ES256","kid":"K"}"#, claims: String = "{}", signature: String = "AAAA"
    ) -> String {
        "\(Base64URL.encode(Data(header.utf8))).\(Base64URL.encode(Data(claims.utf8))).\(signature)"
    }

    @Test func `a server token has the key, issuer, audience, app, issue date and expiration date`() throws {
        let token = try #require(ServerToken(sample.key.token(for: ServerAPISample.app, at: date)))

        #expect(token.keyIdentifier == "ABC123DEFG")
        #expect(token.issuer == ServerAPISample.issuer)
        #expect(token.audience == "appstoreconnect-v1")
        #expect(token.bundleIdentifier == "com.example.app")
        #expect(token.issued == Date(timeIntervalSince1970: 1_790_000_000))
        #expect(token.expiry == Date(timeIntervalSince1970: 1_790_000_300))
    }

    @Test func `a server token's header has the algorithm, key identifier and type`() throws {
        let text = try sample.key.token(for: ServerAPISample.app, at: date)
        let header = try #require(Base64URL.decode(text.prefix { $0 != "." }))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG","typ":"JWT"}"#)
    }

    @Test func `a server token's signature is valid for its own key only`() throws {
        let text = try sample.key.token(for: ServerAPISample.app, at: date, lifetime: 60)
        let token = try #require(ServerToken(text))
        let other = AppStoreServerKey(newWithIdentifier: "ABC123DEFG", issuer: ServerAPISample.issuer)

        #expect(token.isSigned(by: try ServerPublicKey(pem: sample.key.publicKeyPEM)))
        #expect(token.isSigned(by: try ServerPublicKey(pem: other.publicKeyPEM)) == false)
    }

    @Test(arguments: [0, 1]) func `a server token with a replaced header or payload has no valid signature`(
        segment: Int
    ) throws {
        let texts = try [ServerAPISample.app, "com.example.other"].enumerated().map { index, app in
            let key = try AppStoreServerKey(
                pem: sample.key.pem, identifier: "KEY\(index)", issuer: ServerAPISample.issuer)
            return try key.token(for: app, at: date).split(separator: ".").map(String.init)
        }
        var segments = texts[0]
        segments[segment] = texts[1][segment]
        let token = try #require(ServerToken(segments.joined(separator: ".")))

        #expect(token.isSigned(by: try ServerPublicKey(pem: sample.key.publicKeyPEM)) == false)
    }

    @Test(
        arguments: [
            ("no signature", ""), ("short", "AAAA"), ("zeros", String(repeating: "A", count: 86)),
        ]
    )
    func `a missing, short or zero signature of a server token is not valid`(name: String, signature: String) throws {
        let token = try #require(ServerToken(token(signature: signature)))
        #expect(token.isSigned(by: try ServerPublicKey(pem: sample.key.publicKeyPEM)) == false)
    }

    @Test(
        arguments: [
            ("empty", ""), ("a word", "token"), ("two segments", "e30.e30"), ("four segments", "e30.e30.e30.e30"),
            ("padding", "e30=.e30.AAAA"), ("base64 with a plus", "e30.e30.AA+A"), ("a blank", " e30.e30.AAAA"),
            ("no JSON", "AAAA.AAAA.AAAA"),
        ]
    )
    func `a text that is not a server token is refused`(name: String, text: String) {
        #expect(ServerToken(text) == nil)
    }

    @Test(
        arguments: [
            ("no algorithm", #"{"kid":"K"}"#), ("none", #"{"alg":"none","kid":"K"}"#),
            ("HMAC", #"{"alg":"HS256","kid":"K"}"#), ("lower case", #"{"alg":"es256","kid":"K"}"#),
            ("another curve", #"{"alg":"ES384","kid":"K"}"#), ("no key", #"{"alg":"ES256"}"#),
            ("a number as key", #"{"alg":"ES256","kid":1}"#), ("an array", "[]"),
            ("extensions", #"{"alg":"ES256","kid":"K","crit":["exp"]}"#),
        ]
    )
    func `a server token with an unsupported header is refused`(name: String, header: String) {
        #expect(ServerToken(token(header: header)) == nil)
    }

    @Test(
        arguments: [
            ("an array", "[]"), ("not UTF-8", "\u{0}"), ("a list of audiences", #"{"aud":["appstoreconnect-v1"]}"#),
            ("a text as date", #"{"exp":"1790000000"}"#), ("a Boolean as date", #"{"iat":true}"#),
            ("no number", #"{"exp":1e999}"#), ("milliseconds", #"{"exp":1790000000000}"#),
            ("long past", #"{"iat":-1e300}"#), ("a number as app", #"{"bid":1}"#),
        ]
    )
    func `a server token with invalid claims is refused`(name: String, claims: String) {
        #expect(ServerToken(token(claims: claims)) == nil)
    }

    @Test func `the claims of a server token are optional, and its dates may have fractions of a second`() throws {
        let empty = try #require(ServerToken(token()))
        #expect(empty.issuer == nil && empty.audience == nil && empty.bundleIdentifier == nil)
        #expect(empty.issued == nil && empty.expiry == nil)

        let fractions = try #require(ServerToken(token(claims: #"{"exp":1790000000.5,"iat":1.79e9,"nonce":{}}"#)))
        #expect(fractions.expiry == Date(timeIntervalSince1970: 1_790_000_000.5))
        #expect(fractions.issued == Date(timeIntervalSince1970: 1_790_000_000))
    }

    @Test(arguments: [(-1, true), (1, false)])
    func `a server token larger than 8 KiB is refused`(excess: Int, isAccepted: Bool) {
        let start = token(signature: "")
        let signature = String(repeating: "A", count: ServerToken.sizeLimit - start.utf8.count + excess)
        // Bytes have no base64url with such a number of characters.
        #expect(signature.count % 4 != 1)
        #expect((ServerToken(start + signature) != nil) == isAccepted)
    }

    // MARK: Keys

    @Test func `a private key restored from PEM signs tokens that its public key verifies`() throws {
        #expect(sample.key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let stored = try AppStoreServerKey(pem: sample.key.pem, identifier: "K", issuer: "I")
        let token = try #require(ServerToken(stored.token(for: "app", at: date)))

        #expect(stored.publicKeyPEM == sample.key.publicKeyPEM)
        #expect(token.isSigned(by: try ServerPublicKey(pem: sample.key.publicKeyPEM)))
        #expect(token.keyIdentifier == "K")
        #expect(token.issuer == "I")
    }

    @Test(
        arguments: [
            ("empty", ""), ("a word", "key"),
            ("no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"),
            ("another curve", P384.Signing.PrivateKey().pemRepresentation),
            ("a public key", P256.Signing.PrivateKey().publicKey.pemRepresentation),
        ]
    )
    func `a text that is not a P-256 private key is refused`(name: String, pem: String) {
        let error = #expect(throws: SignedDataError.self) {
            try AppStoreServerKey(pem: pem, identifier: "K", issuer: "I")
        }
        #expect(error?.code == .key)
    }

    @Test(
        arguments: [
            ("empty", ""), ("another curve", P384.Signing.PrivateKey().publicKey.pemRepresentation),
            ("a private key", P256.Signing.PrivateKey().pemRepresentation),
        ]
    )
    func `a text that is not a P-256 public key is refused`(name: String, pem: String) {
        #expect(throws: SignedDataError.self) { try ServerPublicKey(pem: pem) }
    }

    @Test(arguments: [(1e30, 300), (.nan, 300), (.infinity, 300), (0, .infinity), (0, .nan)] as [(Double, Double)])
    func `a server token with an impossible date or lifetime is not signed`(seconds: Double, lifetime: Double) {
        let error = #expect(throws: SignedDataError.self) {
            try sample.key.token(for: "app", at: Date(timeIntervalSince1970: seconds), lifetime: lifetime)
        }
        #expect(error?.code == .token)
    }
}
