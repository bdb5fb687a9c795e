import Crypto
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Receipts

/// What a header may say, and what chain it may name.
@Suite(.timeLimit(.minutes(45))) struct TokenHeaderTests {
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
    func `another algorithm than ES256 is refused`(algorithm: String) async throws {
        #expect(try await codes(chain.token(header: chain.header(algorithm), payload)) == [.algorithm])
    }

    @Test func `a header without an algorithm is refused`() async throws {
        let header = try JSONSerialization.data(withJSONObject: ["x5c": chain.x5c])
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test(arguments: [0, 2, 4, 5])
    func `another number of certificates than three is refused`(count: Int) async throws {
        let header = try chain.header(x5c: Array((chain.x5c + chain.x5c).prefix(count)))
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test func `a certificate alone is refused, though it leads to a trusted root`() async throws {
        let header = try chain.header(x5c: Array(chain.x5c.prefix(1)))
        #expect(try await codes(chain.token(header: header, payload)) == [.certificateChain])
    }

    @Test(arguments: [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 0, 0], [0, 0, 2], [0, 2, 2]])
    func `certificates in another order are refused`(order: [Int]) async throws {
        let x5c = try chain.x5c
        let token = try chain.token(header: chain.header(x5c: order.map { x5c[$0] }), payload)
        #expect(try await codes(token).contains(.certificateChain))
    }

    @Test func `a leaf of another chain is refused`() async throws {
        let other = try TestChain()
        let header = try chain.header(x5c: [other.x5c[0]] + chain.x5c.dropFirst())
        #expect(try await codes(other.token(header: header, payload)) == [.certificateChain])
    }

    @Test func `a whole chain is refused whose root is only sent, under the names of the trusted one`() async throws {
        #expect(try await codes(TestChain().token(payload)) == [.certificateChain])
    }

    @Test func `what is sent as the root counts for nothing`() async throws {
        let header = try chain.header(x5c: chain.x5c.prefix(2) + [TestChain().x5c[2]])
        let token = try chain.token(header: header, payload)
        #expect(try await chain.verifier().verify(transaction: token).value != nil)
    }

    @Test(arguments: [
        "no base64": "?", "no certificate": "AAAA", "empty": "", "padding": "=", "line": "\n",
    ])
    func `what is no certificate in base64 is refused`(_: String, text: String) async throws {
        for position in 0..<3 {
            var x5c = try chain.x5c
            x5c[position] = text
            #expect(try await codes(chain.token(header: chain.header(x5c: x5c), payload)) == [.malformed])
        }
    }

    @Test func `certificates have one spelling in base64`() async throws {
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
    func `certificates without the store's marks are refused`(_: String, marks: (leaf: Bool, intermediate: Bool))
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

    @Test func `marks on the wrong certificates are refused`() async throws {
        let swapped = try TestChain { shape in
            (shape.leafMark, shape.intermediateMark) = (shape.intermediateMark, shape.leafMark)
        }
        #expect(try await codes(swapped.token(payload), swapped) == [.certificateMark, .certificateMark])
    }

    @Test func `an intermediate that may not issue certificates is refused`() async throws {
        let chain = try TestChain { $0.intermediateIsAuthority = false }
        #expect(try await codes(chain.token(payload), chain) == [.certificateChain])
    }

    @Test func `issuers may have P-256 keys, and the signer may have no other`() async throws {
        let small = try TestChain { shape in
            shape.intermediateKey = .init(P256.Signing.PrivateKey())
            shape.rootKey = .init(P256.Signing.PrivateKey())
        }
        #expect(try await small.verifier().verify(transaction: small.token(payload)).value != nil)

        let large = try TestChain { $0.leafKey = .init(P384.Signing.PrivateKey()) }
        let token = try chain.token(header: large.header(), payload)
        #expect(try await codes(token, large) == [.certificateChain])
    }

    @Test func `an issuer with a key of another kind is refused`() async throws {
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

    @Test func `all that is wrong after the signature is told at once`() async throws {
        var payload = payload
        payload.signedDate += 2_000
        payload.bundleIdentifier = "com.example.other"
        payload.environment = .production
        #expect(
            try await codes(chain.token(payload)) == [.certificateValidity, .bundleIdentifier, .environment])
    }

    @Test func `the date that counts is the signed one, or now`() async throws {
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
    func `a header that is none is refused`(_: String, header: String) async throws {
        #expect(try await codes(chain.token(header: Data(header.utf8), payload)) == [.malformed])
    }

    @Test func `a header larger than any of the store's is refused`() async throws {
        let header = try chain.header() + Data(repeating: UInt8(ascii: " "), count: 40_000)
        #expect(try await codes(chain.token(header: header, payload)) == [.malformed])
    }

    @Test func `of an algorithm that is named twice one counts, and only ES256 is ever accepted`() async throws {
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
    func `a signature of another length is refused`(length: Int) async throws {
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

    @Test func `a name with a zero byte or another spelling is another app`() async throws {
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
