public import Foundation
internal import X509

/// What a receipt says of who has signed it, without any check that it is true: to show it.
public struct ReceiptSignature: Sendable, Hashable {
    /// The digest that is signed: `SHA-1` or `SHA-256`.
    public let digestAlgorithm: String
    /// The signer's first, then the others in the order of the receipt.
    public let certificates: [SignerCertificate]

    /// - Parameter data: A receipt in PKCS#7 form, raw or as base64.
    /// - Throws: `malformed` for what is no such container, `algorithm` for one that is signed in a way that is not
    ///   accepted.
    public init(unverified data: Data) throws(RejectionReason) {
        let container = try CMSSignedData(ReceiptData.container(in: data))
        digestAlgorithm = container.digest.rawValue
        let others = container.certificates.filter { $0 != container.signer }
        certificates = ([container.signer] + others).map(SignerCertificate.init)
    }
}
