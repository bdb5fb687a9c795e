public import Foundation
internal import X509

/// Signature information of a receipt, read without verification: only to display it.
public struct ReceiptSignature: Sendable, Hashable {
    /// The digest that is signed: `SHA-1` or `SHA-256`.
    public let digestAlgorithm: String
    /// Certificates: the signer's first, then the others in the order of the receipt.
    public let certificates: [SignerCertificate]

    /// - Parameter data: A receipt in PKCS#7 form, raw or as base64.
    /// - Throws: `malformed` if the data is not such a container, `algorithm` if it is signed with an algorithm that is
    ///   not accepted.
    public init(unverified data: Data) throws(RejectionReason) {
        let container = try CMSSignedData(ReceiptData.container(in: data))
        digestAlgorithm = container.digest.rawValue
        let others = container.certificates.filter { $0 != container.signer }
        certificates = ([container.signer] + others).map(SignerCertificate.init)
    }
}
