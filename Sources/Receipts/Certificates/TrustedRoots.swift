internal import SwiftASN1
package import X509

/// Certificates to which the certificates of signed data must lead.
public struct TrustedRoots: Sendable {
    package let certificates: [Certificate]
    /// Certificates with which Xcode signs directly, without a chain.
    package let xcodeCertificates: [Certificate]

    /// Reads one or more root certificates in PEM.
    ///
    /// - Throws: ``SignedDataError`` if the text contains no certificate, or an invalid one.
    public init(pem: String) throws(SignedDataError) {
        self.init(certificates: try Self.certificates(pem: pem))
    }

    /// Trusts data that Xcode signs with its own certificate, and no other data. Xcode's editor of `.storekit` files
    /// saves that certificate with Editor › Save Public Certificate; `openssl x509` converts it to PEM.
    ///
    /// Any owner of Xcode can sign with it: it proves only the environment `Xcode`, and must not be used in an app that
    /// is sold.
    ///
    /// - Throws: ``SignedDataError`` if the text contains no certificate, or an invalid one.
    public init(xcodePEM pem: String) throws(SignedDataError) {
        self.init(xcodeCertificates: try Self.certificates(pem: pem))
    }

    /// Apple's roots: Apple Root CA for app receipts, and Apple Root CA - G3 for all data in JWS form.
    ///
    /// Their source is [Apple PKI](https://www.apple.com/certificateauthority/).
    public static let apple = TrustedRoots(
        certificates: [PackageResources.AppleRootCA_cer, PackageResources.AppleRootCAG3_cer].compactMap {
            try? Certificate(derEncoded: $0)
        })

    /// Empty set of roots, with which nothing can be verified.
    public static let none = TrustedRoots()

    /// Returns the roots of both values.
    public func union(_ other: TrustedRoots) -> TrustedRoots {
        TrustedRoots(
            certificates: certificates + other.certificates,
            xcodeCertificates: xcodeCertificates + other.xcodeCertificates)
    }

    private init(certificates: [Certificate] = [], xcodeCertificates: [Certificate] = []) {
        self.certificates = certificates
        self.xcodeCertificates = xcodeCertificates
    }

    private static func certificates(pem: String) throws(SignedDataError) -> [Certificate] {
        let certificates: [Certificate]
        do {
            certificates = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        } catch {
            throw SignedDataError(code: .certificate, reason: "not a certificate in PEM: \(error)")
        }
        guard !certificates.isEmpty else {
            throw SignedDataError(code: .certificate, reason: "the text contains no certificate")
        }
        return certificates
    }
}
