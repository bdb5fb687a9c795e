internal import Crypto
package import Foundation
internal import ProductCatalog

/// A private Ed25519 key for signing catalogs, or for signing `keys.plist`.
package struct SigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a new random key.
    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Bytes before the 32 bytes of the key in PKCS #8 (RFC 5958, RFC 8410).
    private static let prefix = Data([
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ])
    private static let header = "-----BEGIN PRIVATE KEY-----"
    private static let footer = "-----END PRIVATE KEY-----"

    /// Parses a key in PEM, in the format of ``pem`` and `openssl genpkey -algorithm ed25519`.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed`.
    package init(pem: String) throws(CatalogSignatureFailure) {
        let lines = pem.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 3 || lines.count == 4 && lines[3].isEmpty,
            lines[0].elementsEqual(Self.header.utf8), lines[2].elementsEqual(Self.footer.utf8),
            let der = CanonicalBase64.decode(lines[1]), der.starts(with: Self.prefix),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: der.dropFirst(Self.prefix.count))
        else {
            throw CatalogSignatureFailure(code: .malformed, reason: "it is not an Ed25519 key in PEM (PKCS #8)")
        }
        self.key = key
    }

    /// The key in PEM, in the format of OpenSSL.
    package var pem: String {
        "\(Self.header)\n\((Self.prefix + key.rawRepresentation).base64EncodedString())\n\(Self.footer)\n"
    }

    /// The public key. Its identifier is the first 8 bytes of its SHA-256 digest.
    package var publicKey: MinisignPublicKey {
        let bytes = key.publicKey.rawRepresentation
        return MinisignPublicKey(identifier: Data(SHA256.hash(data: bytes).prefix(8)), key: bytes)
    }

    /// Signs a file and a trusted comment.
    ///
    /// - Throws: The error of swift-crypto.
    package func sign(_ file: Data, trustedComment: String) throws -> MinisignSignature {
        let signature = try key.signature(for: file)
        return MinisignSignature(
            key: publicKey, signature: signature, trustedComment: trustedComment,
            commentSignature: try key.signature(for: signature + Data(trustedComment.utf8)))
    }
}
