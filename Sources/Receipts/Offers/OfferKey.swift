internal import Crypto
internal import Foundation

/// Key with which an app's server signs offers for its customers: an in-app purchase key of App Store Connect, or the
/// `subscriptionOffersKeyPair` of a `.storekit` file.
public struct OfferKey: Sendable {
    /// Identifier of the key in App Store Connect.
    public let identifier: String
    private let key: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - pem: Private key in the format of a `.p8` file.
    ///   - identifier: Identifier of the key in App Store Connect.
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    public init(pem: String, identifier: String) throws(SignedDataError) {
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw SignedDataError(code: .key, reason: "not a private P-256 key in PEM: \(error)")
        }
        self.identifier = identifier
    }

    /// Public key in PEM, with which signatures of this key are verified.
    public var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// Signs a promotional offer in the format that StoreKit accepts with a nonce and a timestamp.
    ///
    /// - Returns: The signature as DER in base64.
    /// - Throws: ``SignedDataError`` if a field contains the field separator.
    public func signature(for offer: PromotionalOfferPayload) throws(SignedDataError) -> String {
        let message = try offer.message(keyIdentifier: identifier)
        do {
            return try key.signature(for: message).derRepresentation.base64EncodedString()
        } catch {
            throw SignedDataError(code: .key, reason: "signing failed: \(error)")
        }
    }

    /// Signs a request in the compact JWS form that StoreKit accepts.
    ///
    /// - Throws: ``SignedDataError`` if the date is out of range.
    public func sign(_ request: OfferRequest) throws(SignedDataError) -> String {
        struct Header: Encodable {
            let alg = "ES256"
            let kid: String
            let typ = "JWT"
        }
        let claims = try OfferClaims(request)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try CompactJWS.sign(encoder.encode(claims), header: Header(kid: identifier), with: key)
        } catch {
            throw SignedDataError(code: .key, reason: "signing failed: \(error)")
        }
    }
}
