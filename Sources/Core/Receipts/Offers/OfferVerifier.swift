internal import Crypto
public import Foundation
public import VitrineSupport

/// Verifier of data that an app's server has signed for the store. It makes the same checks as the store.
public struct OfferVerifier: Sendable {
    private let key: P256.Signing.PublicKey
    private let keyIdentifier: String
    private let bundleIdentifier: String

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - publicKeyPEM: The public key in PEM.
    ///   - keyIdentifier: Identifier of the key in App Store Connect.
    ///   - bundleIdentifier: App for which promotional offers and requests must be signed.
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    public init(publicKeyPEM: String, keyIdentifier: String, bundleIdentifier: String) throws(SignedDataError) {
        key = try P256.Signing.PublicKey(storePEM: publicKeyPEM)
        self.keyIdentifier = keyIdentifier
        self.bundleIdentifier = bundleIdentifier
    }

    /// Verifies a promotional offer: its app, its validity of 24 hours and its signature.
    ///
    /// - Parameters:
    ///   - offer: Signed fields of the promotional offer.
    ///   - signature: Signature as DER in Base64.
    ///   - now: Time at which the promotional offer must be valid.
    public func verify(
        _ offer: PromotionalOfferPayload, signature: String, at now: Date
    ) -> Verification<PromotionalOfferPayload> {
        guard let der = Data(base64Encoded: signature), der.base64EncodedString() == signature,
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return .rejected(.malformed, "the signature is not an ES256 signature as DER in base64") }
        guard let message = try? offer.message(keyIdentifier: keyIdentifier) else {
            return .rejected(.malformed, "a field of the promotional offer contains the field separator U+2063")
        }
        guard key.isValidSignature(signature, for: message) else {
            return .rejected(
                .signature, "the signature does not match the promotional offer and the key \(keyIdentifier)")
        }
        var reasons = appReasons(offer.bundleIdentifier)
        if !offer.isActive(at: now) {
            reasons.append(RejectionReason(.expired, "the promotional offer was not signed within the last 24 hours"))
        }
        return reasons.isEmpty ? .verified(offer) : .rejected(reasons)
    }

    /// Verifies a request in compact JWS form: its algorithm, key, signature and app. The caller has to check the age
    /// of the request, and that it is not used twice, with the date and the nonce of the request.
    public func verify(request signedData: String) -> Verification<OfferRequest> {
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let header = try JWSHeader(segment: jws.header)
            guard header.alg == "ES256" else {
                throw Rejection(.algorithm, "the algorithm \(header.alg.prefix(40)) is not accepted: it must be ES256")
            }
            guard header.kid == keyIdentifier, jws.isSigned(by: key) else {
                throw Rejection(.signature, "the signature does not match the request and the key \(keyIdentifier)")
            }
            guard let claims = try? JSONDecoder().decodeForeign(OfferClaims.self, from: jws.payload),
                let request = claims.offerRequest
            else { throw Rejection(.payload, "the payload is not a request to the store") }
            let reasons = appReasons(request.bundleIdentifier)
            return reasons.isEmpty ? .verified(request) : .rejected(reasons)
        } catch {
            return .rejected(error.reasons)
        }
    }

    private func appReasons(_ app: String) -> [RejectionReason] {
        app.hasSameBytes(as: bundleIdentifier) ? [] : [.otherApp(app, than: bundleIdentifier)]
    }
}

/// Key of an app's server for signing promotional offers and requests: an in-app purchase key of App Store Connect, or
/// the `subscriptionOffersKeyPair` of a `.storekit` file.
public struct OfferKey: Sendable {
    private let key: ServerSigningKey

    /// Reads a private key.
    ///
    /// - Parameters:
    ///   - pem: Private key in the format of a `.p8` file.
    ///   - identifier: Identifier of the key in App Store Connect.
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    public init(pem: String, identifier: String) throws(SignedDataError) {
        key = try ServerSigningKey(pem: pem, identifier: identifier)
    }

    /// Identifier of the key in App Store Connect.
    /// Creates a new key, such as one for a simulated store.
    package init(newWithIdentifier identifier: String) { key = ServerSigningKey(newWithIdentifier: identifier) }

    /// Private key in PEM (PKCS #8).
    package var pem: String { key.pem }

    public var identifier: String { key.identifier }

    /// Public key in PEM, for verifying signatures of this key.
    public var publicKeyPEM: String { key.publicKeyPEM }

    /// Signs a promotional offer in the format that StoreKit accepts with a nonce and a timestamp.
    ///
    /// - Returns: The signature as DER in Base64.
    /// - Throws: ``SignedDataError`` if a field contains the field separator, U+2063.
    public func signature(for offer: PromotionalOfferPayload) throws(SignedDataError) -> String {
        try key.signature(for: offer.message(keyIdentifier: identifier)).base64EncodedString()
    }

    /// Signs a request in the compact JWS form that StoreKit accepts.
    ///
    /// - Throws: ``SignedDataError`` if the date of the request is out of range.
    public func sign(_ request: OfferRequest) throws(SignedDataError) -> String { try key.sign(OfferClaims(request)) }
}
