import Foundation
import Receipts

/// A certificate as scripts get it.
struct CertificateDocument: Encodable {
    let subject: String
    let validFrom: Date
    let validUntil: Date

    init(_ certificate: SignerCertificate) {
        subject = certificate.subject
        validFrom = certificate.notValidBefore
        validUntil = certificate.notValidAfter
    }
}

extension SignerCertificate {
    /// The certificate in one line, for people.
    var line: String { "  \(subject), valid from \(notValidBefore.day) to \(notValidAfter.day)" }
}
