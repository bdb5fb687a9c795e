internal import CryptoExtras
internal import SwiftASN1
internal import X509

/// Bounds of the work that certificates from outside can cause, for receipts, JWS chains and OCSP alike.
///
/// A chain has three certificates, so that each received certificate is tried as the issuer of the signer once, and as
/// issued by each trusted root of its issuer's name once: less than 40 verifications for a receipt with Apple's roots. A
/// search for chains of any length would try all orders of certificates that have one name and one key.
enum CertificateLimits {
    /// Maximum number of certificates in a container; the store's chains have three.
    static let count = 8
    /// Maximum size of a certificate in bytes; all certificates of the store are smaller.
    static let size = 16 * 1024
    /// Maximum length of the modulus of an RSA key in bits; the store's keys have 2048.
    static let modulusBits = 4096
    /// Maximum length of the public exponent of an RSA key in bytes; the store's is 65537.
    static let exponentSize = 4
    /// Maximum size of an answer about the revocation of one certificate in bytes (RFC 6960), with its certificates. Only
    /// the one that the answer names is used, with one signature of it and one of its issuer.
    static let revocationSize = 64 * 1024
}

extension Certificate {
    /// Reads a certificate from outside.
    ///
    /// - Parameter container: Name of the data that contains the certificate, for the error.
    /// - Throws: `malformed`, if the data is not a certificate, or the certificate or its key is larger than permitted.
    init(received der: ArraySlice<UInt8>, in container: String) throws(RejectionReason) {
        guard der.count <= CertificateLimits.size else {
            throw .malformed("\(container) has a certificate of more than \(CertificateLimits.size) bytes")
        }
        do {
            try self.init(derEncoded: Array(der))
        } catch {
            throw .malformed("\(container) has an invalid certificate")
        }
        guard hasBoundedKey else {
            throw .malformed(
                "\(container) has a certificate whose RSA key has more than \(CertificateLimits.modulusBits) bits, or an "
                    + "exponent of more than \(8 * CertificateLimits.exponentSize)")
        }
    }

    /// `true` unless the key is an RSA key whose size or exponent makes each verification slow. The other kinds of keys
    /// have fixed sizes.
    private var hasBoundedKey: Bool {
        guard let key = _RSA.Signing.PublicKey(publicKey) else { return true }
        guard key.keySizeInBits <= CertificateLimits.modulusBits, let primitives = try? key.getKeyPrimitives() else {
            return false
        }
        return primitives.publicExponent.count <= CertificateLimits.exponentSize
    }
}
