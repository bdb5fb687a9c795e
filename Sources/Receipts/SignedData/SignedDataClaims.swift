internal import Foundation

/// What a compact JWS claims, without any check that it is true: to show it, and never to unlock anything.
public struct SignedDataClaims: Sendable, Hashable {
    /// How it is said to be signed: `ES256` in everything that the store signs.
    public let algorithm: String
    /// The name of the key: `Apple_Xcode_Key` in what Xcode signs.
    public let keyIdentifier: String?
    /// The signer's first.
    public let certificates: [SignerCertificate]
    public let payload: JSONValue
    /// What the fields of the payload are those of; `nil` where they are not those of one kind.
    public let kind: SignedDocumentKind?
    /// The app that it was signed for; `nil` where it does not say.
    public let bundleIdentifier: String?
    /// The app's identifier in the App Store; `nil` where it does not say.
    public let appIdentifier: Int64?
    /// The environment that signed it; `nil` where it does not say.
    public let environment: StoreEnvironment?

    /// - Throws: `malformed` for what is no compact JWS; `payload` for one whose payload is not JSON.
    public init(unverified signedData: String) throws(RejectionReason) {
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let header = try JWSHeader(segment: jws.header)
            algorithm = header.alg
            keyIdentifier = header.kid
            certificates = try header.certificates.map(SignerCertificate.init)
            payload = try Self.payload(jws.payload)
            let document = try? JSONDecoder.storeDates.decode(DocumentPayload.self, from: jws.payload)
            kind = document?.kind
            bundleIdentifier = document?.subjects.first?.app
            appIdentifier = document?.subjects.first?.appIdentifier
            environment = document?.subjects.first?.environment
        } catch {
            throw error.reasons.first ?? RejectionReason(code: .malformed, detail: "it is no compact JWS")
        }
    }

    private static func payload(_ bytes: Data) throws(Rejection) -> JSONValue {
        do {
            return try JSONValue(json: bytes)
        } catch {
            throw Rejection(.payload, "the payload is not JSON: \(error.reason)")
        }
    }
}
