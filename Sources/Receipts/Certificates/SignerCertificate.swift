public import Foundation
internal import X509

/// A certificate that signed data carries, as it says itself and whoever has issued it: to show it.
public struct SignerCertificate: Sendable, Hashable {
    /// Who it is issued to: the common name where it has one.
    public let subject: String
    public let notValidBefore: Date
    public let notValidAfter: Date

    init(_ certificate: Certificate) {
        subject = certificate.shortName
        notValidBefore = certificate.notValidBefore
        notValidAfter = certificate.notValidAfter
    }
}
