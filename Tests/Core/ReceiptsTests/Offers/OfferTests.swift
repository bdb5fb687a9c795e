import Crypto
import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.blocksThreads, .hangLimit) struct OfferTests {
    private let key: OfferKey
    private let pem = P256.Signing.PrivateKey().pemRepresentation
    private let offer = PromotionalOfferPayload(
        bundleIdentifier: "com.example.app", productIdentifier: "com.example.app.month", offerIdentifier: "spring",
        account: "7E3FB20B-4CDB-47CC-936D-99D65F608138", nonce: UUID(), timestamp: 1_790_000_000_000)

    init() throws { key = try OfferKey(pem: pem, identifier: "KEY7") }

    private func verifier(key: String = "KEY7", bundle: String = "com.example.app") throws -> OfferVerifier {
        try OfferVerifier(publicKeyPEM: self.key.publicKeyPEM, keyIdentifier: key, bundleIdentifier: bundle)
    }

    private func request(_ purpose: OfferRequest.Purpose) -> OfferRequest {
        OfferRequest(
            purpose: purpose, bundleIdentifier: "com.example.app", issuer: "issuer", nonce: UUID(), date: .sample)
    }

    private static let purposes: [OfferRequest.Purpose] = [
        .promotionalOffer(product: "p", offer: "o", transaction: nil),
        .promotionalOffer(product: "p", offer: "o", transaction: "7"),
        .introductoryOffer(product: "p", isAllowed: true, transaction: "7"),
        .introductoryOffer(product: "p", isAllowed: false, transaction: "7"),
        .advancedCommerce(request: Data(#"{"operation":"CREATE_ONE_TIME_CHARGE"}"#.utf8)),
    ]

    @Test func `offers and offer requests that were signed with the offer key are verified`() throws {
        let signature = try key.signature(for: offer)
        #expect(try verifier().verify(offer, signature: signature, at: .sample).value == offer)
        for purpose in Self.purposes {
            let request = request(purpose)
            #expect(try verifier().verify(request: key.sign(request)).value == request)
        }
    }

    @Test func `an offer's signed message has Apple's field order, and its account and nonce are in lowercase`() throws
    {
        var offer = offer
        offer.nonce = try #require(UUID(uuidString: "B2158121-7AF9-49D4-9561-1F588205523E"))
        let fields = String(decoding: try offer.message(keyIdentifier: "KEY7"), as: UTF8.self)
            .split(separator: "\u{2063}", omittingEmptySubsequences: false)
        #expect(
            fields == [
                "com.example.app", "KEY7", "com.example.app.month", "spring", "7e3fb20b-4cdb-47cc-936d-99d65f608138",
                "b2158121-7af9-49d4-9561-1f588205523e", "1790000000000",
            ])
    }

    @Test func `an offer signature is valid for one offer and one key only`() throws {
        let signature = try key.signature(for: offer)
        let changes: [(inout PromotionalOfferPayload) -> Void] = [
            { $0.productIdentifier += "s" }, { $0.offerIdentifier = "summer" }, { $0.account = "" },
            { $0.nonce = UUID() }, { $0.timestamp += 1 }, { $0.bundleIdentifier = "com.example.other" },
        ]
        for change in changes {
            var other = offer
            change(&other)
            #expect(try verifier().verify(other, signature: signature, at: .sample).codes == [.signature])
        }
        #expect(try verifier(key: "KEY8").verify(offer, signature: signature, at: .sample).codes == [.signature])
        let stranger = try OfferKey(pem: P256.Signing.PrivateKey().pemRepresentation, identifier: "KEY7")
        #expect(
            try verifier().verify(offer, signature: stranger.signature(for: offer), at: .sample).codes == [.signature])
    }

    @Test func `an offer is valid for 24 hours from its timestamp`() throws {
        let signature = try key.signature(for: offer)
        for (seconds, isActive) in [(-1.0, false), (0, true), (86_399, true), (86_400, false)] {
            let codes = try verifier().verify(offer, signature: signature, at: .sample + seconds).codes
            #expect(codes == (isActive ? [] : [.expired]))
        }
        var extreme = offer
        for timestamp in [Int64.min, .max] {
            extreme.timestamp = timestamp
            #expect(!extreme.isActive(at: .sample))
        }
    }

    @Test func `a wrong app and an invalid time of an offer are both reported`() throws {
        let signature = try key.signature(for: offer)
        #expect(
            try verifier(bundle: "com.example.other").verify(offer, signature: signature, at: .sample - 1).codes
                == [.bundleIdentifier, .expired])
    }

    @Test func `an offer field that contains the separator of signed fields is refused`() throws {
        var offer = offer
        offer.account = "a\u{2063}b"
        #expect(throws: SignedDataError.self) { try key.signature(for: offer) }
        #expect(try verifier().verify(offer, signature: "MAYCAQECAQE=", at: .sample).codes == [.malformed])
    }

    @Test(arguments: ["", "?", "AAAA", "MAYCAQECAQE= "])
    func `a malformed offer signature is refused`(text: String) throws {
        #expect(try verifier().verify(offer, signature: text, at: .sample).codes == [.malformed])
    }

    @Test(arguments: ["", "hello", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    func `a text that is not an offer key is refused`(pem: String) {
        #expect(throws: SignedDataError.self) { try OfferKey(pem: pem, identifier: "K") }
        #expect(throws: SignedDataError.self) {
            try OfferVerifier(publicKeyPEM: pem, keyIdentifier: "K", bundleIdentifier: "b")
        }
    }

    @Test func `an offer request of another key, app or algorithm is refused`() throws {
        let token = try key.sign(request(Self.purposes[0]))
        #expect(try verifier(key: "KEY8").verify(request: token).codes == [.signature])
        #expect(try verifier(bundle: "com.example.other").verify(request: token).codes == [.bundleIdentifier])

        let signed = try P256.Signing.PrivateKey(pemRepresentation: pem)
        let payload = try #require(Base64URL.decode(token.split(separator: ".")[1]))
        for (header, code) in [
            (["alg": "none", "kid": "KEY7"], .algorithm), (["alg": "HS256", "kid": "KEY7"], .algorithm),
            (["alg": "ES256"], .signature), (["kid": "KEY7"], RejectionReason.Code.malformed),
        ] {
            let forged = try CompactJWS.sign(payload, header: header, with: signed)
            #expect(try verifier().verify(request: forged).codes == [code])
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"aud":"promotional-offer","bid":"com.example.app","iss":"i","nonce":"x","iat":1}"#,
        #"{"aud":"else","bid":"com.example.app","iss":"i","nonce":"7e3fb20b-4cdb-47cc-936d-99d65f608138","iat":1}"#,
        #"{"aud":"promotional-offer","bid":"com.example.app","iss":"i","nonce":"7e3fb20b-4cdb-47cc-936d-99d65f608138","iat":1,"productId":"p"}"#,
    ])
    func `an offer request with missing or invalid claims is refused`(payload: String) throws {
        let signed = try P256.Signing.PrivateKey(pemRepresentation: pem)
        let token = try CompactJWS.sign(Data(payload.utf8), header: ["alg": "ES256", "kid": "KEY7"], with: signed)
        #expect(try verifier().verify(request: token).codes == [.payload])
    }

    @Test func `an offer request with a flipped bit is refused`() throws {
        let token = Array(try key.sign(request(Self.purposes[1])).utf8)
        let verifier = try verifier()
        for index in token.indices {
            for bit in 0..<8 {
                var flipped = token
                flipped[index] ^= 1 << UInt8(bit)
                #expect(verifier.verify(request: String(decoding: flipped, as: UTF8.self)).value == nil)
            }
        }
    }
}

/// Offers that Apple's own library signs and we verify, or that we sign and the library reads.
@Suite(.blocksThreads, .enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
struct OfferPeerTests {
    private struct Question: Encodable {
        struct Offer: Encodable {
            let product, offer, account, nonce, signature: String
            let timestamp: Int64
        }
        let key, keyIdentifier, issuer, bundle: String
        let offer: Offer
        let requests: [[String]]
    }

    private struct Answer: Decodable {
        struct Read: Decodable {
            struct Header: Decodable {
                let alg, kid: String
            }
            struct Claims: Decodable {
                let bid, iss, nonce: String
                let iat: Int64
                let productId, offerIdentifier, transactionId, request: String?
                let allowIntroductoryOffer: Bool?
            }
            let header: Header
            let claims: Claims
        }
        let signature, promotional, introductory, advanced: String
        let read: [Read]
    }

    @Test func `our offer signatures and requests are compatible with Apple's library in both directions`() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        let key = try OfferKey(pem: pem, identifier: "KEY7")
        let offer = PromotionalOfferPayload(
            bundleIdentifier: "com.example.app", productIdentifier: "p", offerIdentifier: "o", account: "Élan-7",
            nonce: UUID(), timestamp: 1_790_000_000_000)
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let ours = [
            (OfferRequest.Purpose.promotionalOffer(product: "p", offer: "o", transaction: "7"), "promotional-offer"),
            (.introductoryOffer(product: "p", isAllowed: false, transaction: "7"), "introductory-offer-eligibility"),
            (.advancedCommerce(request: Data("{}".utf8)), "advanced-commerce-api"),
        ].map { purpose, audience in
            (
                OfferRequest(
                    purpose: purpose, bundleIdentifier: "com.example.app", issuer: "issuer", nonce: UUID(), date: now),
                audience
            )
        }
        let answer: Answer = try ApplePeer.ask(
            "offers",
            Question(
                key: pem, keyIdentifier: "KEY7", issuer: "issuer", bundle: "com.example.app",
                offer: .init(
                    product: "p", offer: "o", account: offer.account, nonce: offer.nonce.uuidString,
                    signature: try key.signature(for: offer), timestamp: offer.timestamp),
                requests: try ours.map { [try key.sign($0), $1] }))

        let verifier = try OfferVerifier(
            publicKeyPEM: key.publicKeyPEM, keyIdentifier: "KEY7", bundleIdentifier: "com.example.app")
        #expect(verifier.verify(offer, signature: answer.signature, at: .sample).value == offer)
        let promotional = try #require(verifier.verify(request: answer.promotional).value)
        #expect(promotional.purpose == .promotionalOffer(product: "product", offer: "offer", transaction: nil))
        #expect(promotional.issuer == "issuer")
        #expect(
            verifier.verify(request: answer.introductory).value?.purpose
                == .introductoryOffer(product: "product", isAllowed: true, transaction: "7"))
        guard case .advancedCommerce(let request) = verifier.verify(request: answer.advanced).value?.purpose else {
            Issue.record("it is no request of the Advanced Commerce API")
            return
        }
        #expect(try JSONValue(json: request)["operation"] == .string("CREATE_ONE_TIME_CHARGE"))

        #expect(answer.read.map(\.header.kid) == ["KEY7", "KEY7", "KEY7"])
        #expect(answer.read.map(\.claims.nonce) == ours.map { $0.0.nonce.uuidString.lowercased() })
        #expect(answer.read.map(\.claims.iat) == ours.map { Int64($0.0.date.timeIntervalSince1970) })
        #expect(answer.read.map(\.claims.transactionId) == ["7", "7", nil])
        #expect(answer.read.map(\.claims.offerIdentifier) == ["o", nil, nil])
        #expect(answer.read.map(\.claims.allowIntroductoryOffer) == [nil, false, nil])
        #expect(answer.read.map(\.claims.request) == [nil, nil, "e30="])
    }
}
