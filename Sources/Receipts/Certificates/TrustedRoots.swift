internal import SwiftASN1
package import X509

/// The certificates that signed data must lead to.
public struct TrustedRoots: Sendable {
    package let certificates: [Certificate]
    /// The certificates with which Xcode signs by itself, without a chain.
    package let xcodeCertificates: [Certificate]

    /// Reads one or more root certificates in PEM.
    ///
    /// - Throws: `TrustedRootsError` where the text holds no certificate, or something that is none.
    public init(pem: String) throws(TrustedRootsError) {
        self.init(certificates: try Self.certificates(pem: pem))
    }

    /// Trusts what Xcode signs with its own certificate, and nothing else. Xcode's editor of `.storekit` files saves that
    /// certificate under Editor › Save Public Certificate; `openssl x509` writes it as PEM.
    ///
    /// Whoever has Xcode can sign with it: it proves the environment `Xcode` alone, and belongs into no app that is sold.
    ///
    /// - Throws: `TrustedRootsError` where the text holds no certificate, or something that is none.
    public init(xcodePEM pem: String) throws(TrustedRootsError) {
        self.init(xcodeCertificates: try Self.certificates(pem: pem))
    }

    /// Apple's own: Apple Root CA, which app receipts lead to, and Apple Root CA - G3, which everything in JWS form does.
    ///
    /// Their source is [Apple PKI](https://www.apple.com/certificateauthority/).
    public static let apple = TrustedRoots(
        certificates: [PackageResources.AppleRootCA_cer, PackageResources.AppleRootCAG3_cer].compactMap {
            try? Certificate(derEncoded: $0)
        })

    /// No root: nothing can be verified.
    public static let none = TrustedRoots()

    /// Trusts what either trusts.
    public func union(_ other: TrustedRoots) -> TrustedRoots {
        TrustedRoots(
            certificates: certificates + other.certificates,
            xcodeCertificates: xcodeCertificates + other.xcodeCertificates)
    }

    private init(certificates: [Certificate] = [], xcodeCertificates: [Certificate] = []) {
        self.certificates = certificates
        self.xcodeCertificates = xcodeCertificates
    }

    private static func certificates(pem: String) throws(TrustedRootsError) -> [Certificate] {
        let certificates: [Certificate]
        do {
            certificates = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        } catch {
            throw TrustedRootsError(reason: "not a certificate in PEM: \(error)")
        }
        guard !certificates.isEmpty else { throw TrustedRootsError(reason: "there is no certificate in the text") }
        return certificates
    }
}

/// Why a text cannot be used as trusted roots.
public struct TrustedRootsError: Error, Sendable, Hashable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}
