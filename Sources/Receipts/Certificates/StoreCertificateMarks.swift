internal import SwiftASN1

/// Apple marker OIDs of the App Store's certificates. Without this check, any certificate that leads to the same root
/// could sign a purchase.
enum StoreCertificateMarks {
    /// OID of the leaf, which signs receipts and transactions of the App Store.
    static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// OID of the intermediate certificate, Apple Worldwide Developer Relations.
    static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}
