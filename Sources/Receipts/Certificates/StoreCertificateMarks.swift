internal import SwiftASN1

/// The marks that the App Store's certificates carry. Without them any certificate that leads to the same root could
/// sign a purchase.
enum StoreCertificateMarks {
    /// On the leaf: signs receipts and transactions of the App Store.
    static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// On the intermediate: Apple Worldwide Developer Relations.
    static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}
