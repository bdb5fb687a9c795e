import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Malformed OCSP requests from clients that may be hostile.
@Suite(.hangLimit) struct MalformedOCSPRequestTests {
    typealias Change = @Sendable (inout OCSPQuestion) throws -> Void

    private let identity: SigningIdentity
    private let chain: [Certificate]

    init() throws {
        identity = try SigningIdentity.make()
        chain = try identity.certificates
    }

    static let changes: [String: Change] = {
        let critical = Certificate.Extension(oid: [1, 2, 3], critical: true, value: [5, 0])
        var changes: [String: Change] = [:]
        changes["no certificate"] = { $0.certificates = [] }
        changes["another version"] = { $0.version = 1 }
        changes["a negative version"] = { $0.version = -1 }
        changes["an unknown critical extension"] = { $0.extensions = [critical] }
        changes["an unknown critical extension of a certificate"] = { $0.own = [critical] }
        changes["an extension twice"] = {
            $0.extensions = [try OCSPQuestion.nonce([1]), try OCSPQuestion.nonce([2])]
        }
        changes["an empty nonce"] = { $0.extensions = [try OCSPQuestion.nonce([])] }
        changes["a long nonce"] = { $0.extensions = [try OCSPQuestion.nonce(Array(repeating: 1, count: 129))] }
        changes["a nonce without its tag"] = {
            let identifier = OCSPQuestion.nonceIdentifier
            $0.extensions = [Certificate.Extension(oid: identifier, critical: false, value: [1, 2, 3])]
        }
        changes["more than 16 KiB"] = { $0.certificates = Array(repeating: $0.certificates[0], count: 300) }
        return changes
    }()

    @Test(arguments: changes)
    func `an invalid OCSP request is answered as malformed`(
        _: String, change: Change
    ) throws {
        var question = OCSPQuestion(0, of: chain)
        try change(&question)

        #expect(try identity.answer(to: question).status == .malformedRequest)
    }

    static let garbage: [String: Data] = {
        let deep: [[UInt8]] = (0..<60).map { [0x30, 2 * (59 - $0)] }
        let wide: [[UInt8]] = [[0x30, 0x82, 0x3F, 0xF0]] + Array(repeating: [0x30, 0x00], count: 0x1FF8)
        return [
            "empty": Data(), "text": Data("hello".utf8), "a null": Data([0x05, 0x00]),
            "an empty sequence": Data([0x30, 0x00]), "nested": Data([0x30, 0x02, 0x30, 0x00]),
            "an indefinite length": Data([0x30, 0x80, 0x00, 0x00]),
            "a huge length": Data([0x30, 0x88] + Array(repeating: 0xFF, count: 8)),
            "a longer length": Data([0x30, 0x89] + Array(repeating: 0xFF, count: 9)),
            "a megabyte of nothing": Data(count: 1 << 20),
            "a megabyte of sequences": Data(repeating: 0x30, count: 1 << 20),
            "deep": Data(deep.joined()), "wide": Data(wide.joined()),
        ]
    }()

    @Test(arguments: garbage.keys.sorted())
    func `data that is not an OCSP request is answered as malformed`(_ id: String) throws {
        let garbage = try #require(Self.garbage[id])
        #expect(try OCSPAnswer(identity.respond(to: garbage, at: .sample)).status == .malformedRequest)
    }

    @Test func `a truncated or extended OCSP request is answered as malformed`() throws {
        var question = OCSPQuestion(0, of: chain)
        question.extensions = [try OCSPQuestion.nonce([1, 2, 3])]
        let der = try question.der

        for count in 0..<der.count {
            #expect(try OCSPAnswer(identity.respond(to: der.prefix(count), at: .sample)).status == .malformedRequest)
            #expect(
                try OCSPAnswer(identity.respond(to: der.dropFirst(count + 1), at: .sample)).status == .malformedRequest)
        }
        #expect(try OCSPAnswer(identity.respond(to: der + [0], at: .sample)).status == .malformedRequest)
        #expect(try OCSPAnswer(identity.respond(to: der + der, at: .sample)).status == .malformedRequest)
    }

    @Test func `an OCSP request with a changed byte never causes an internal error`() throws {
        var question = OCSPQuestion(0, of: chain)
        question.version = 0
        question.extensions = [try OCSPQuestion.nonce([1, 2, 3])]
        let der = try question.der
        var counts: [OCSPAnswer.Status: Int] = [:]

        for index in der.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, der[index] ^ 0x20, der[index] ^ 0x01] where value != der[index]
            {
                var changed = der
                changed[index] = value
                counts[try OCSPAnswer(identity.respond(to: changed, at: .sample)).status, default: 0] += 1
            }
        }
        #expect(counts[.internalError] == nil)
        #expect(counts[.malformedRequest, default: 0] > 50)
        #expect(counts[.unauthorized, default: 0] > 50)
        #expect(counts[.successful, default: 0] > 50)
    }

    @Test func `an OCSP request with wrong ASN.1 tags is answered as malformed`() throws {
        let der = try OCSPQuestion(0, of: chain).der
        // Six sequences around each other, the algorithm, two hashes and the serial number.
        let places = [0, 2, 4, 6, 8, 10, 12, 21, 43, 65]
        for place in places {
            for tag in [0x01, 0x03, 0x0C, 0x31, 0xA0, 0xBF] as [UInt8] {
                var changed = der
                changed[place] = tag
                #expect(
                    try OCSPAnswer(identity.respond(to: changed, at: .sample)).status == .malformedRequest,
                    "\(tag) at \(place)")
            }
        }
    }
}
