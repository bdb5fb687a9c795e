import Crypto
import Foundation
import SwiftASN1
import Testing
import VitrineSupport
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Headers of tokens, and the certificate chains in them.
@Suite(.hangLimit) struct TokenHeaderTests {
    private let chain: TestChain
    private let payload = TransactionPayload.sample()

    init() throws { chain = try TestChain() }

    private func codes(_ token: String, _ chain: TestChain? = nil) async throws -> [RejectionReason.Code] {
        let verification = try await (chain ?? self.chain).verifier().verify(transaction: token)
        #expect(verification.value == nil)
        #expect(verification.reason == nil)
        return verification.codes
    }

    @Test(arguments: ["none", "HS256", "ES384", "es256", "", "ES256\u{0}"])
    func `a token header with an algorithm other than ES256 is refused`(algorithm: String) async throws {
        #expect(try await codes(chain.token(header: chain.header(algorithm), payload)) == [.algorithm])
    }

    @Test func `a token header without an algorithm is refused`() async throws {
        let header = try JSONSerialization.data(withJSONObject: ["x5c": chain.x5c])
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test(arguments: [0, 2, 4, 5])
    func `a token header with zero, two, four or five certificates is refused`(count: Int) async throws {
        let header = try chain.header(x5c: Array((chain.x5c + chain.x5c).prefix(count)))
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test func `a single certificate is refused, even if its chain leads to a trusted root`() async throws {
        let header = try chain.header(x5c: Array(chain.x5c.prefix(1)))
        #expect(try await codes(chain.token(header: header, payload)) == [.certificateChain])
    }

    @Test(arguments: [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 0, 0], [0, 0, 2], [0, 2, 2]])
    func `reordered or repeated certificates in a token header are refused`(order: [Int]) async throws {
        let x5c = try chain.x5c
        let token = try chain.token(header: chain.header(x5c: order.map { x5c[$0] }), payload)
        #expect(try await codes(token).contains(.certificateChain))
    }

    @Test func `a token with a leaf certificate of another chain is refused`() async throws {
        let other = try TestChain()
        let header = try chain.header(x5c: [other.x5c[0]] + chain.x5c.dropFirst())
        #expect(try await codes(other.token(header: header, payload)) == [.certificateChain])
    }

    @Test func `a complete chain is refused if its root only has the same name as the trusted root`() async throws {
        #expect(try await codes(TestChain().token(payload)) == [.certificateChain])
    }

    @Test func `the root certificate in a token header is ignored`() async throws {
        let header = try chain.header(x5c: chain.x5c.prefix(2) + [TestChain().x5c[2]])
        let token = try chain.token(header: header, payload)
        #expect(try await chain.verifier().verify(transaction: token).value != nil)
    }

    @Test(arguments: [
        "no base64": "?", "no certificate": "AAAA", "empty": "", "padding": "=", "line": "\n",
    ])
    func `a token header with a text that is not a certificate in base64 is refused`(_: String, text: String)
        async throws
    {
        for position in 0..<3 {
            var x5c = try chain.x5c
            x5c[position] = text
            #expect(try await codes(chain.token(header: chain.header(x5c: x5c), payload)) == [.malformed])
        }
    }

    @Test func `a certificate in non-canonical base64 is refused`() async throws {
        let leaf = try chain.x5c[0]
        for spelling in [leaf + "\n", " " + leaf, leaf + "=", leaf.replacing("+", with: "-").replacing("/", with: "_")]
        where spelling != leaf {
            let header = try chain.header(x5c: [spelling] + chain.x5c.dropFirst())
            #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
        }
    }

    @Test(arguments: [
        "leaf": (false, true), "intermediate": (true, false), "both": (false, false),
    ])
    func `certificates without the App Store's marker extensions are refused`(
        _: String, marks: (leaf: Bool, intermediate: Bool)
    )
        async throws
    {
        let unmarked = try TestChain { shape in
            if !marks.leaf { shape.leafMark = nil }
            if !marks.intermediate { shape.intermediateMark = nil }
        }
        let missing = [marks.leaf, marks.intermediate].count { !$0 }
        #expect(
            try await codes(unmarked.token(payload), unmarked)
                == Array(repeating: .certificateMark, count: missing))
    }

    @Test func `marker extensions on the wrong certificates are refused`() async throws {
        let swapped = try TestChain { shape in
            (shape.leafMark, shape.intermediateMark) = (shape.intermediateMark, shape.leafMark)
        }
        #expect(try await codes(swapped.token(payload), swapped) == [.certificateMark, .certificateMark])
    }

    @Test func `an intermediate certificate that is not a certificate authority is refused`() async throws {
        let chain = try TestChain { $0.intermediateIsAuthority = false }
        #expect(try await codes(chain.token(payload), chain) == [.certificateChain])
    }

    @Test func `a leaf certificate must have a P-256 key, and its issuers may have one`() async throws {
        let small = try TestChain { shape in
            shape.intermediateKey = .init(P256.Signing.PrivateKey())
            shape.rootKey = .init(P256.Signing.PrivateKey())
        }
        #expect(try await small.verifier().verify(transaction: small.token(payload)).value != nil)

        let large = try TestChain { $0.leafKey = .init(P384.Signing.PrivateKey()) }
        let token = try chain.token(header: large.header(), payload)
        #expect(try await codes(token, large) == [.certificateChain])
    }

    @Test func `an intermediate certificate with an Ed25519 key is refused`() async throws {
        let edwards = try TestChain { $0.intermediateKey = .init(Curve25519.Signing.PrivateKey()) }
        #expect(try await codes(edwards.token(payload), edwards) == [.certificateChain])
    }

    @Test(arguments: [0, 1, 2])
    func `each certificate must have been valid at the signed date`(level: Int) async throws {
        let expired = try TestChain { $0.validity[level] = (Date.sample - 1_000)...(Date.sample - 1) }
        #expect(try await codes(expired.token(payload), expired) == [.certificateValidity])

        let early = try TestChain { $0.validity[level] = (Date.sample + 1)...(Date.sample + 1_000) }
        #expect(try await codes(early.token(payload), early) == [.certificateValidity])

        let edge = try TestChain { $0.validity[level] = Date.sample...Date.sample }
        #expect(try await edge.verifier().verify(transaction: edge.token(payload)).value != nil)
    }

    @Test func `a wrong date, app and environment of a signed transaction are reported at once`() async throws {
        var payload = payload
        payload.signedDate += 2_000
        payload.bundleIdentifier = "com.example.other"
        payload.environment = .production
        #expect(
            try await codes(chain.token(payload)) == [.certificateValidity, .bundleIdentifier, .environment])
    }

    @Test func `certificates are checked at the signed date, or at the current date if the verifier requires it`()
        async throws
    {
        let token = try chain.token(payload)
        let later = Date.sample + 5_000

        #expect(try await chain.verifier(now: later).verify(transaction: token).value != nil)
        #expect(
            try await chain.verifier(validity: .current, now: later).verify(transaction: token).codes
                == [.certificateValidity])
        #expect(try await chain.verifier(validity: .current).verify(transaction: token).value != nil)
    }

    @Test(arguments: [
        "nested arrays": String(repeating: "[", count: 20_000),
        "nested below a name": #"{"alg":"ES256","x5c":"# + String(repeating: "[", count: 20_000),
        "no object": "[]", "null": "null", "empty": "", "x5c of numbers": #"{"alg":"ES256","x5c":[1,2,3]}"#,
        "x5c no list": #"{"alg":"ES256","x5c":"AAAA"}"#, "alg a number": #"{"alg":256,"x5c":[]}"#,
    ])
    func `a malformed token header is refused`(_: String, header: String) async throws {
        #expect(try await codes(chain.token(header: Data(header.utf8), payload)) == [.malformed])
    }

    @Test func `an oversized token header is refused`() async throws {
        let header = try chain.header() + Data(repeating: UInt8(ascii: " "), count: 40_000)
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test func `a token header that names two algorithms never verifies an unsigned token`() async throws {
        let good = String(decoding: try chain.header(), as: UTF8.self)
        for twice in [#"{"alg":"none","# + String(good.dropFirst()), String(good.dropLast()) + #","alg":"none"}"#] {
            let token = try chain.token(header: Data(twice.utf8), payload)
            let verification = try await chain.verifier().verify(transaction: token)
            #expect(verification.value != nil || verification.codes == [.algorithm])
            let forged = token.split(separator: ".").dropLast().joined(separator: ".") + "."
            #expect(try await codes(forged).isEmpty == false)
        }
    }

    @Test(arguments: [0, 1, 63, 65, 128])
    func `a signature of a wrong length is refused`(length: Int) async throws {
        let token = try chain.token(payload)
        let signature = Base64URL.encode(Array(repeating: UInt8(1), count: length))
        let forged = token.split(separator: ".").dropLast().joined(separator: ".") + ".\(signature)"
        #expect(try await codes(forged) == [.signature])
    }

    @Test func `a signature of zeros is refused`() async throws {
        let token = try chain.token(payload)
        let zeros = Base64URL.encode(Array(repeating: UInt8(0), count: 64))
        let forged = token.split(separator: ".").dropLast().joined(separator: ".") + ".\(zeros)"
        #expect(try await codes(forged) == [.signature])
    }

    @Test func `a bundle identifier with a zero byte or another spelling is refused`() async throws {
        for bundle in ["com.example.app\u{0}", "com.example.app\u{0}.evil", "COM.EXAMPLE.APP"] {
            var payload = payload
            payload.bundleIdentifier = bundle
            #expect(try await codes(chain.token(payload)) == [.bundleIdentifier])
        }
        var composed = payload
        composed.bundleIdentifier = "com.\u{E9}xample"
        let verifier = try chain.verifier(bundle: "com.e\u{301}xample")
        #expect(await verifier.verify(transaction: try chain.token(composed)).codes == [.bundleIdentifier])
    }
}
