public import Foundation
internal import SwiftASN1
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

/// Validation date, at which certificates must have been valid.
public enum CertificateValidity: Sendable, Hashable {
    /// Date of the signature, as specified in the signed data: suitable for stored data.
    case whenSigned
    /// Current date: suitable for data that was just received from the store.
    case current
}

/// Apple marker OIDs of the App Store's certificates. Without this check, any certificate that leads to the same root
/// could sign a purchase.
enum AppleMarkerOIDs {
    /// OID of the leaf, which signs receipts and transactions of the App Store.
    static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// OID of the intermediate certificate, Apple Worldwide Developer Relations.
    static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}
