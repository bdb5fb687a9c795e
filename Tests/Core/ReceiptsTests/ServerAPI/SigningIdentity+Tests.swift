import Foundation
import SwiftASN1
import VitrineTestSupport
import X509

@testable import VitrineReceipts

extension SigningIdentity {
    /// Returns a new signing identity for tests.
    static func make(around date: Date = .sample) throws -> SigningIdentity {
        try SigningIdentity(commonName: "Test Store", around: date)
    }

    var documents: [PEMDocument] {
        get throws { try PEMDocument.parseMultiple(pemString: pem) }
    }

    /// Certificates of the chain, starting with the leaf.
    var certificates: [Certificate] {
        get throws { try documents[1...3].map { try Certificate(pemDocument: $0) } }
    }

    /// Returns the answer of the identity to an OCSP request.
    func answer(to question: OCSPQuestion, at date: Date = .sample) throws -> OCSPAnswer {
        try OCSPAnswer(respond(to: question.der, at: date))
    }
}

extension LoopbackServer.Answer {
    /// A response of an OCSP responder.
    static func ocsp(_ body: Data) -> Self {
        .reply(headers: ["Content-Type": "application/ocsp-response"], body: body)
    }
}
