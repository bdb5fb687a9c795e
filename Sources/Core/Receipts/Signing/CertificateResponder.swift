internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// OCSP responder (RFC 6960) of the issuers of a chain. Each certificate of an issuer is good, those included that it
/// issued before the certificates of the chain.
struct CertificateResponder {
    /// Issuer of certificates, with the key that signs what it says of them.
    fileprivate struct Issuer {
        let certificate: Certificate
        let key: P384.Signing.PrivateKey
    }

    private let issuers: [Issuer]

    /// - Parameter chain: Chain with or without the keys of its issuers. Without them, all certificates are unknown.
    init(_ chain: SigningChain) {
        guard let keys = chain.issuerKeys else {
            issuers = []
            return
        }
        issuers = [
            Issuer(certificate: chain.certificates[1], key: keys.intermediate),
            Issuer(certificate: chain.certificates[2], key: keys.root),
        ]
    }

    /// Answers a request. The issuer of the first known certificate in it signs the response. Certificates of other
    /// issuers are unknown in it.
    func respond(to data: Data, at date: Date) -> OCSPResponse {
        let request: OCSPRequest
        do {
            request = try OCSPRequest(der: data)
        } catch {
            // A response has no field for the reason.
            return OCSPResponse(.malformedRequest)
        }
        do {
            for certificate in request.certificates {
                guard let issuer = try issuers.first(where: { try $0.hasIssued(certificate) }) else { continue }
                return try issuer.respond(to: request, at: date)
            }
            return OCSPResponse(.unauthorized)
        } catch {
            return OCSPResponse(.internalError)
        }
    }
}

extension CertificateResponder.Issuer {
    /// Returns `true` if a reference names this issuer, whatever the serial number.
    fileprivate func hasIssued(_ reference: CertificateReference) throws -> Bool {
        var name = DER.Serializer()
        try name.serialize(certificate.subject)
        return hash(name.serializedBytes[...], reference.algorithm) == Array(reference.issuerName)
            && hash(certificate.publicKey.subjectPublicKeyInfoBytes, reference.algorithm) == Array(reference.issuerKey)
    }

    fileprivate func respond(to request: OCSPRequest, at date: Date) throws -> OCSPResponse {
        let content = OCSPResponseContent(
            responder: Array(Insecure.SHA1.hash(data: certificate.publicKey.subjectPublicKeyInfoBytes)), date: date,
            answers: try request.certificates.map { ($0, try hasIssued($0) ? .good : .unknown) }, nonce: request.nonce)
        return try OCSPResponse(content, signedWith: key)
    }

    /// Returns the hash of bytes; `nil` for an algorithm that no client of the App Store's certificates uses.
    private func hash(_ bytes: ArraySlice<UInt8>, _ algorithm: ASN1ObjectIdentifier) -> [UInt8]? {
        switch algorithm {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        default: nil
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    fileprivate static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]
}
