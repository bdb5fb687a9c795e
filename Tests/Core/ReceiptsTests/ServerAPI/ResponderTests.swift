import Crypto
import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

@Suite(.hangLimit) struct ResponderTests {
    private let identity: SigningIdentity
    private let chain: [Certificate]

    init() throws {
        identity = try SigningIdentity.make()
        chain = try identity.certificates
    }

    // MARK: Answers

    @Test(arguments: [0, 1])
    func `an OCSP answer contains its signer's certificate, and identifies the signer by key hash`(level: Int) throws {
        let answer = try identity.answer(to: OCSPQuestion(level, of: chain))

        #expect(answer.status == .successful)
        #expect(answer.certificates.count == 1)
        #expect(answer.responderKeyHash == answer.certificates.first.map(Self.keyHash))
        #expect(answer.singles.map(\.isGood) == [true])
        #expect(answer.extensions.isEmpty)
    }

    @Test(arguments: [0, 1])
    func `the signer of an OCSP answer is a responder whom the issuer of the certificate has authorized`(level: Int)
        throws
    {
        let issuer = chain[level + 1]
        let signer = try #require(try identity.answer(to: OCSPQuestion(level, of: chain)).certificates.first)

        #expect(signer.issuer == issuer.subject)
        #expect(issuer.publicKey.isValidSignature(signer.signature, for: signer))
        #expect(signer.publicKey != issuer.publicKey)
        #expect((signer.notValidBefore, signer.notValidAfter) == (issuer.notValidBefore, issuer.notValidAfter))
        #expect(try signer.extensions.extendedKeyUsage == ExtendedKeyUsage([.ocspSigning]))
        #expect(try signer.extensions.basicConstraints == .notCertificateAuthority)
        #expect(signer.extensions[oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5]]?.critical == false)
    }

    private static func keyHash(of certificate: Certificate) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: certificate.publicKey.subjectPublicKeyInfoBytes))
    }

    @Test func `an OCSP answer has the given date and is valid for an hour`() throws {
        let date = try Date("2031-01-01T00:00:59Z", strategy: .iso8601) + 0.9
        let answer = try identity.answer(to: OCSPQuestion(0, of: chain), at: date)

        #expect(answer.producedAt == "20310101000059Z")
        #expect(answer.singles.map(\.thisUpdate) == ["20301231235559Z"])
        #expect(answer.singles.map(\.nextUpdate) == ["20310101010059Z"])
    }

    @Test func `the OCSP responder confirms certificates issued before and after its address was added`() throws {
        let address = try #require(URL(string: "http://127.0.0.1/"))
        let named = try identity.naming(responder: address)

        for level in 0...1 {
            let (old, new) = (OCSPQuestion(level, of: chain), OCSPQuestion(level, of: try named.certificates))
            #expect(try old.der != new.der)
            for answer in [
                try identity.answer(to: new), try named.answer(to: old), try named.answer(to: new),
                try SigningIdentity(pem: named.pem).answer(to: old),
            ] {
                #expect(answer.singles.map(\.isGood) == [true])
            }
        }
    }

    @Test(
        arguments: [
            "SHA-1": .sha1, "SHA-256": .sha256, "SHA-384": .sha384, "SHA-512": .sha512,
        ] as [String: OCSPQuestion.Hash])
    func `an OCSP request may use any supported hash, and the answer repeats its certificate identifier`(
        _: String, hash: OCSPQuestion.Hash
    ) throws {
        var question = OCSPQuestion(0, of: chain)
        question.hash = hash
        let answer = try identity.answer(to: question)

        #expect(answer.singles.map(\.isGood) == [true])
        let identifier = Data(try #require(answer.singles.first).certificate)
        #expect(try question.der.range(of: identifier) != nil)
    }

    @Test func `the first known issuer authorizes an OCSP answer, which does not confirm other issuers' certificates`()
        throws
    {
        let other = try SigningIdentity.make().certificates
        let serials = chain.map { Array($0.serialNumber.bytes) }
        let question = OCSPQuestion(
            (other[1], [7]), (chain[1], serials[0]), (chain[2], serials[1]), (chain[1], [9]))
        let answer = try identity.answer(to: question)

        #expect(answer.singles.map(\.isGood) == [false, true, false, true])
        #expect(answer.certificates.map(\.issuer) == [chain[1].subject])
    }

    @Test func `an OCSP request about a hundred certificates is answered`() throws {
        var question = OCSPQuestion(0, of: chain)
        question.certificates = (0..<100).map { (chain[1], [$0 + 1]) }

        #expect(try identity.answer(to: question).singles.map(\.isGood) == Array(repeating: true, count: 100))
    }

    @Test(arguments: [1, 16, 32, 128])
    func `the nonce of an OCSP request is returned in the answer`(length: Int) throws {
        for critical in [false, true] {
            let nonce = try OCSPQuestion.nonce((0..<length).map { UInt8($0) }, critical: critical)
            var question = OCSPQuestion(0, of: chain)
            question.extensions = [Certificate.Extension(oid: [1, 2, 3], critical: false, value: [5, 0]), nonce]

            #expect(try identity.answer(to: question).extensions == [nonce])
        }
    }

    @Test func `optional parts of an OCSP request are ignored`() throws {
        var question = OCSPQuestion(0, of: chain)
        question.version = 0
        question.requestor = "a client"
        question.own = [Certificate.Extension(oid: [1, 2, 3], critical: false, value: [5, 0])]
        question.isSigned = true

        #expect(try identity.answer(to: question).singles.map(\.isGood) == [true])
    }

    // MARK: No answers

    @Test func `an OCSP request with an unknown issuer or hash algorithm is answered as unauthorized`() throws {
        let other = try SigningIdentity.make().certificates
        var unknownHash = OCSPQuestion(0, of: chain)
        unknownHash.hash = .md5

        for question in [OCSPQuestion(0, of: other), OCSPQuestion(1, of: other), unknownHash] {
            #expect(try identity.answer(to: question).status == .unauthorized)
        }
    }

    @Test func `an OCSP request with wrong issuer hashes is answered as unauthorized`() throws {
        let question = OCSPQuestion(0, of: chain)
        for hash in [
            OCSPQuestion.Hash(identifier: question.hash.identifier) {
                Array(Insecure.SHA1.hash(data: Array($0) + [0]))
            },
            OCSPQuestion.Hash(identifier: question.hash.identifier) { _ in [] },
            OCSPQuestion.Hash(identifier: OCSPQuestion.Hash.sha256.identifier, hash: question.hash.hash),
        ] {
            var question = question
            question.hash = hash
            #expect(try identity.answer(to: question).status == .unauthorized)
        }
    }
}
