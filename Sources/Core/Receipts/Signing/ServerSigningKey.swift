internal import Crypto
internal import Foundation
internal import VitrineSupport

/// In-app purchase key of App Store Connect. An app's server uses it to sign data for the store.
struct ServerSigningKey: Sendable {
    /// Identifier of the key in App Store Connect.
    let identifier: String
    private let key: P256.Signing.PrivateKey

    /// Reads a private key.
    ///
    /// - Parameters:
    ///   - pem: Private key in the format of a `.p8` file: PKCS #8 in PEM.
    ///   - identifier: Identifier of the key in App Store Connect.
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    init(pem: String, identifier: String) throws(SignedDataError) {
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw SignedDataError(code: .key, reason: "the text is not a private P-256 key in PEM: \(error)")
        }
        self.identifier = identifier
    }

    /// Creates a new private key.
    init(newWithIdentifier identifier: String) {
        self.identifier = identifier
        key = P256.Signing.PrivateKey()
    }

    /// Private key in PEM (PKCS #8).
    var pem: String { key.pemRepresentation }

    /// Public key in PEM.
    var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// Signs claims as a compact JWS, with the key's identifier in its header.
    func sign(_ claims: some Encodable) throws(SignedDataError) -> String {
        do {
            return try CompactJWS.sign(JSONEncoder.sorted.encode(claims), header: Header(kid: identifier), with: key)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Signs a message and returns the signature as DER.
    func signature(for message: Data) throws(SignedDataError) -> Data {
        do {
            return try key.signature(for: message).derRepresentation
        } catch {
            throw Self.failure(error)
        }
    }

    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
        let typ = "JWT"
    }

    private static func failure(_ error: any Error) -> SignedDataError {
        SignedDataError(code: .key, reason: "the data for the store could not be signed: \(error)")
    }
}

extension P256.Signing.PublicKey {
    /// Reads the public key of an app's server.
    ///
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    init(storePEM pem: String) throws(SignedDataError) {
        do {
            self = try P256.Signing.PublicKey(pemRepresentation: pem)
        } catch {
            throw SignedDataError(code: .key, reason: "the text is not a public P-256 key in PEM: \(error)")
        }
    }
}
