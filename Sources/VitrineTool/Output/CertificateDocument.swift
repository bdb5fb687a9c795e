import Foundation
import Receipts

/// JSON document of a certificate.
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
    /// Certificate as one line of text output.
    var line: String { "  \(subject), valid from \(notValidBefore.day) to \(notValidAfter.day)" }
}
