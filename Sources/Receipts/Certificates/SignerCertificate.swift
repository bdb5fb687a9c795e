public import Foundation
internal import X509

/// Certificate in signed data, read without verification of its issuer: only to display it.
public struct SignerCertificate: Sendable, Hashable {
    /// Subject of the certificate: the common name if there is one.
    public let subject: String
    public let notValidBefore: Date
    public let notValidAfter: Date

    init(_ certificate: Certificate) {
        subject = certificate.shortName
        notValidBefore = certificate.notValidBefore
        notValidAfter = certificate.notValidAfter
    }
}
