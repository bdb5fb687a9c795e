internal import Crypto
public import Foundation

/// Checks what an app's server has signed for the store, as the store does.
public struct OfferVerifier: Sendable {
    private let key: P256.Signing.PublicKey
    private let keyIdentifier: String
    private let bundleIdentifier: String

    /// - Parameters:
    ///   - publicKeyPEM: The public key in PEM.
    ///   - keyIdentifier: What App Store Connect calls the key.
    ///   - bundleIdentifier: The app that the offers must be for.
    /// - Throws: ``OfferError`` where the text is no P-256 key in PEM.
    public init(publicKeyPEM: String, keyIdentifier: String, bundleIdentifier: String) throws(OfferError) {
        do {
            key = try P256.Signing.PublicKey(pemRepresentation: publicKeyPEM)
        } catch {
            throw OfferError(reason: "not a public P-256 key in PEM: \(error)")
        }
        self.keyIdentifier = keyIdentifier
        self.bundleIdentifier = bundleIdentifier
    }

    /// Checks a promotional offer: its app, its 24 hours and its signature.
    ///
    /// - Parameters:
    ///   - offer: What is signed.
    ///   - signature: As DER in base64.
    ///   - now: The time at which it has to hold.
    public func verify(
        _ offer: PromotionalOfferPayload, signature: String, at now: Date
    ) -> Verification<PromotionalOfferPayload> {
        guard let der = Data(base64Encoded: signature), der.base64EncodedString() == signature,
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return rejected(.malformed, "the signature is not one of ES256 as DER in base64") }
        guard let message = try? offer.message(keyIdentifier: keyIdentifier) else {
            return rejected(.malformed, "a field holds what separates the fields")
        }
        guard key.isValidSignature(signature, for: message) else {
            return rejected(.signature, "the signature does not belong to the offer and the key \(keyIdentifier)")
        }
        let reasons =
            appReasons(offer.bundleIdentifier)
            + (offer.isActive(at: now)
                ? []
                : [RejectionReason(code: .expired, detail: "an offer is good for the 24 hours after it was signed")])
        return reasons.isEmpty ? .verified(offer) : .rejected(reasons)
    }

    /// Checks a request in compact JWS form: its algorithm, its key, its signature and its app. How long a request is
    /// good, and that none comes twice, is left to whoever asks: both its date and its nonce are in it.
    public func verify(request signedData: String) -> Verification<OfferRequest> {
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let header = try JWSHeader(segment: jws.header)
            guard header.alg == "ES256" else {
                throw Rejection(.algorithm, "the algorithm is \(header.alg.prefix(40)), and only ES256 is accepted")
            }
            guard header.kid == keyIdentifier, jws.isSigned(by: key) else {
                throw Rejection(.signature, "the signature does not belong to the request and the key \(keyIdentifier)")
            }
            guard let claims = try? JSONDecoder().decode(OfferClaims.self, from: jws.payload),
                let request = claims.offerRequest
            else { throw Rejection(.payload, "the payload is not that of a request to the store") }
            let reasons = appReasons(request.bundleIdentifier)
            return reasons.isEmpty ? .verified(request) : .rejected(reasons)
        } catch {
            return .rejected(error.reasons)
        }
    }

    private func appReasons(_ app: String) -> [RejectionReason] {
        guard !app.hasSameBytes(as: bundleIdentifier) else { return [] }
        return [
            RejectionReason(
                code: .bundleIdentifier,
                detail: "signed for the app \(app.prefix(200)), and this is \(bundleIdentifier)")
        ]
    }

    private func rejected<Value>(_ code: RejectionReason.Code, _ detail: String) -> Verification<Value> {
        .rejected([RejectionReason(code: code, detail: detail)])
    }
}
