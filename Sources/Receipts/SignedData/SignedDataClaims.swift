internal import Foundation

/// Claims of a compact JWS, read without verification: only to display them, and never to unlock anything.
public struct SignedDataClaims: Sendable, Hashable {
    /// Algorithm that the header names: `ES256` in all data that the store signs.
    public let algorithm: String
    /// Name of the key: `Apple_Xcode_Key` in data that Xcode signs.
    public let keyIdentifier: String?
    /// Certificates, the signer's first.
    public let certificates: [SignerCertificate]
    public let payload: JSONValue
    /// Type of data to which the fields of the payload belong; `nil` if they belong to no known type.
    public let kind: SignedDocumentKind?
    /// App for which the data was signed; `nil` if the data does not name it.
    public let bundleIdentifier: String?
    /// App's identifier in the App Store; `nil` if the data does not contain it.
    public let appIdentifier: Int64?
    /// Environment that signed the data; `nil` if the data does not name it.
    public let environment: StoreEnvironment?

    /// Reads the claims of signed data.
    ///
    /// - Throws: `malformed` if the data is not a compact JWS; `payload` if its payload is not JSON.
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
            throw error.reasons.first ?? RejectionReason(code: .malformed, reason: "the data is not a compact JWS")
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
