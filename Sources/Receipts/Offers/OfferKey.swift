internal import Crypto
internal import Foundation

/// The key with which an app's server allows its customers an offer: an in-app purchase key of App Store Connect, or the
/// `subscriptionOffersKeyPair` of a `.storekit` file.
public struct OfferKey: Sendable {
    /// What App Store Connect calls the key.
    public let identifier: String
    private let key: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - pem: The private key as a `.p8` file holds it.
    ///   - identifier: What App Store Connect calls the key.
    /// - Throws: ``OfferError`` where the text is no P-256 key in PEM.
    public init(pem: String, identifier: String) throws(OfferError) {
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw OfferError(reason: "not a private P-256 key in PEM: \(error)")
        }
        self.identifier = identifier
    }

    /// The public key in PEM, which checks what this key signs.
    public var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// Signs a promotional offer as StoreKit takes it beside its nonce and timestamp.
    ///
    /// - Returns: The signature as DER in base64.
    /// - Throws: ``OfferError`` where a field holds what separates the fields.
    public func signature(for offer: PromotionalOfferPayload) throws(OfferError) -> String {
        let message = try offer.message(keyIdentifier: identifier)
        do {
            return try key.signature(for: message).derRepresentation.base64EncodedString()
        } catch {
            throw OfferError(reason: "the key cannot sign: \(error)")
        }
    }

    /// Signs a request as StoreKit takes it in compact JWS form.
    ///
    /// - Throws: ``OfferError`` where a date cannot be written.
    public func sign(_ request: OfferRequest) throws(OfferError) -> String {
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
            throw OfferError(reason: "the key cannot sign: \(error)")
        }
    }
}

/// Why an offer cannot be signed or checked.
public struct OfferError: Error, Sendable, Hashable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}
