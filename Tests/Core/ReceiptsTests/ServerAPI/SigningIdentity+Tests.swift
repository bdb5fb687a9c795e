import Foundation
import SwiftASN1
import VitrineTestSupport
import X509

@testable import VitrineReceipts

extension SigningIdentity {
    /// A new identity, as tests need many.
    static func make(around date: Date = .sample) throws -> SigningIdentity {
        try SigningIdentity(commonName: "Test Store", around: date)
    }

    var documents: [PEMDocument] {
        get throws { try PEMDocument.parseMultiple(pemString: pem) }
    }

    /// The certificates, the leaf first.
    var certificates: [Certificate] {
        get throws { try documents[1...3].map { try Certificate(pemDocument: $0) } }
    }

    /// What the identity answers.
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
