internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// OCSP responder (RFC 6960) for the issuers of a chain. It reports the status `good` for all certificates of these
/// issuers, including certificates that they issued before those of the chain.
struct CertificateResponder {
    /// Issuer of certificates, with its key for signing the certificates of responders.
    fileprivate struct Issuer {
        let certificate: Certificate
        let key: P384.Signing.PrivateKey
    }

    private let issuers: [Issuer]

    init(_ chain: SigningChain, _ keys: IssuerKeys) {
        issuers = [
            Issuer(certificate: chain.certificates[1], key: keys.intermediate),
            Issuer(certificate: chain.certificates[2], key: keys.root),
        ]
    }

    /// Responds to a request. The response is signed by a responder with a new key, to which the issuer of the first
    /// known certificate in the request delegates it. The status of certificates of other issuers is unknown.
    func respond(to data: Data, at date: Date) -> OCSPResponse {
        let request: OCSPRequest
        do {
            request = try OCSPRequest(der: data)
        } catch {
            // A response cannot contain the reason.
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
    /// Returns `true` if this issuer is named in a certificate reference. The serial number is not compared.
    fileprivate func hasIssued(_ reference: CertificateReference) throws -> Bool {
        var name = DER.Serializer()
        try name.serialize(certificate.subject)
        return hash(name.serializedBytes[...], reference.algorithm) == Array(reference.issuerName)
            && hash(certificate.publicKey.subjectPublicKeyInfoBytes, reference.algorithm) == Array(reference.issuerKey)
    }

    fileprivate func respond(to request: OCSPRequest, at date: Date) throws -> OCSPResponse {
        let responderKey = P384.Signing.PrivateKey()
        let responder = try responderCertificate(for: .init(responderKey.publicKey))
        let content = OCSPResponseContent(
            responder: Array(Insecure.SHA1.hash(data: responder.publicKey.subjectPublicKeyInfoBytes)), date: date,
            answers: try request.certificates.map { ($0, try hasIssued($0) ? .good : .unknown) }, nonce: request.nonce)
        return try OCSPResponse(content, signedWith: responderKey, of: responder)
    }

    /// Issues the certificate of a responder (RFC 6960, section 4.2.2.2). Some clients refuse a response that the issuer
    /// itself has signed, and need a certificate in the response.
    private func responderCertificate(for publicKey: Certificate.PublicKey) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: certificate.notValidBefore, notValidAfter: certificate.notValidAfter,
            issuer: certificate.subject,
            subject: DistinguishedName {
                CommonName("OCSP Responder")
                OrganizationName("Vitrine")
            },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.ocspSigning])
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: certificate.publicKey).keyIdentifier)
                // Without this mark, a client would have to ask for the status of the responder's certificate too.
                Certificate.Extension(oid: .ocspNoCheck, critical: false, value: [0x05, 0x00])
            }, issuerPrivateKey: Certificate.PrivateKey(key))
    }

    /// Returns the hash of bytes; `nil` for an algorithm that is not used by clients of the App Store's certificates.
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
    fileprivate static let ocspNoCheck: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 5]
    fileprivate static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    fileprivate static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]
}
