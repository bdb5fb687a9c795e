public import Foundation
internal import SwiftASN1
public import VitrineSupport
package import X509

/// Root certificates to which the certificates of signed data must lead.
public struct TrustedRoots: Sendable {
    package let certificates: [Certificate]
    /// Certificates that Xcode uses to sign directly, without a chain.
    package let xcodeCertificates: [Certificate]

    /// Reads one or more root certificates in PEM.
    ///
    /// - Throws: ``SignedDataError`` if the text contains no certificate, or an invalid one.
    public init(pem: String) throws(SignedDataError) {
        self.init(certificates: try Self.certificates(pem: pem))
    }

    /// Reads one or more root certificates in PEM, or one in DER.
    ///
    /// - Throws: ``SignedDataError`` if the data contains no certificate, or an invalid one.
    public init(data: Data) throws(SignedDataError) {
        self.init(certificates: try Self.certificates(in: data))
    }

    /// Trusts only data that Xcode signs with its own certificate, which Xcode's editor of `.storekit` files saves with
    /// Editor › Save Public Certificate, in DER.
    ///
    /// Such data proves only the environment `Xcode`, because anyone with a copy of Xcode can sign it. These roots must
    /// not be used in an app that is sold.
    ///
    /// - Parameter data: One certificate in DER, or one or more in PEM.
    /// - Throws: ``SignedDataError`` if the data contains no certificate, or an invalid one.
    public init(xcodeData data: Data) throws(SignedDataError) {
        self.init(xcodeCertificates: try Self.certificates(in: data))
    }

    #if DEBUG
        /// Trusts data that is signed with any single certificate, as Xcode signs it, for the environment `Xcode` alone.
        /// Only StoreKit itself can then tell whether Xcode has signed the data, and only in a debug build.
        package static let anyXcodeCertificate: TrustedRoots = {
            var roots = TrustedRoots()
            roots.trustsAnyXcodeCertificate = true
            return roots
        }()

        private var trustsAnyXcodeCertificate = false
    #endif

    /// Returns `true` if data that is signed directly with a certificate is trusted as Xcode's.
    func trusts(xcode certificate: Certificate) -> Bool {
        #if DEBUG
            if trustsAnyXcodeCertificate { return true }
        #endif
        return xcodeCertificates.contains(certificate)
    }

    /// Apple's roots: Apple Root CA for app receipts, and Apple Root CA - G3 for all data in JWS form.
    ///
    /// Their source is [Apple PKI](https://www.apple.com/certificateauthority/).
    public static let apple = (try? TrustedRoots(pem: AppleRootCertificates.pem)) ?? none

    /// Empty set of roots. No signed data can be verified with it.
    public static let none = TrustedRoots()

    /// Returns the union of two sets of trusted roots.
    public func union(_ other: TrustedRoots) -> TrustedRoots {
        var union = TrustedRoots(
            certificates: certificates + other.certificates,
            xcodeCertificates: xcodeCertificates + other.xcodeCertificates)
        #if DEBUG
            union.trustsAnyXcodeCertificate = trustsAnyXcodeCertificate || other.trustsAnyXcodeCertificate
        #endif
        return union
    }

    private init(certificates: [Certificate] = [], xcodeCertificates: [Certificate] = []) {
        self.certificates = certificates
        self.xcodeCertificates = xcodeCertificates
    }

    private static func certificates(in data: Data) throws(SignedDataError) -> [Certificate] {
        // PEM is text, and begins with letters or a dash; DER begins with the tag of a sequence.
        guard data.first == 0x30 else { return try certificates(pem: String(decoding: data, as: UTF8.self)) }
        do {
            return [try Certificate(derEncoded: Array(data))]
        } catch {
            throw SignedDataError(code: .certificate, reason: "the data is not a certificate in DER: \(error)")
        }
    }

    private static func certificates(pem: String) throws(SignedDataError) -> [Certificate] {
        let certificates: [Certificate]
        do {
            certificates = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        } catch {
            throw SignedDataError(code: .certificate, reason: "the text is not a certificate in PEM: \(error)")
        }
        guard !certificates.isEmpty else {
            throw SignedDataError(code: .certificate, reason: "the text contains no certificate")
        }
        return certificates
    }
}

/// Certificate in signed data, read without verifying its issuer. It must only be displayed.
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
    /// Date of the signature, as specified in the signed data. Suitable for stored data.
    case whenSigned
    /// Current date. Suitable for data that was just received from the store.
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
