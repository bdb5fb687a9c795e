public import Foundation
internal import X509

/// What a token in compact JWS form says of itself, whoever has signed it: to show it, and never to unlock anything.
public struct UnverifiedSignedData: Sendable, Hashable {
    /// The algorithm of the signature.
    public let algorithm: String
    /// The name of the signer's key; Xcode's tokens and an app's own requests have one.
    public let keyIdentifier: String?
    /// The certificates of the header, the signer's first.
    public let certificates: [ClaimedCertificate]
    public let payload: JSONValue
    /// What the fields of the payload are those of; `nil` where they are not those of one kind.
    public let kind: SignedDocumentKind?

    /// - Throws: `malformed` for what is no JWS, or has a header that is none; `payload` for one whose payload is no JSON.
    public init(_ signedData: String) throws(RejectionReason) {
        let jws: CompactJWS
        do throws(Rejection) {
            jws = try CompactJWS(signedData)
            let header = try JWSHeader(segment: jws.header)
            algorithm = header.alg
            keyIdentifier = header.kid
            certificates = try header.certificates.map(ClaimedCertificate.init)
        } catch {
            throw error.reasons.first ?? RejectionReason(code: .malformed, detail: "it cannot be read")
        }
        do throws(JSONValueError) {
            payload = try JSONValue(json: jws.payload)
        } catch {
            throw RejectionReason(code: .payload, detail: "the payload is no JSON: \(error.reason)")
        }
        kind = (try? JSONDecoder.storeDates.decode(DocumentPayload.self, from: jws.payload))?.kind
    }
}

/// A certificate as it describes itself.
public struct ClaimedCertificate: Sendable, Hashable {
    /// Who it is issued to, as RFC 4514 writes names.
    public let subject: String
    /// Who says that they have issued it.
    public let issuer: String
    public let notValidBefore: Date
    public let notValidAfter: Date

    init(_ certificate: Certificate) {
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        notValidBefore = certificate.notValidBefore
        notValidAfter = certificate.notValidAfter
    }
}
