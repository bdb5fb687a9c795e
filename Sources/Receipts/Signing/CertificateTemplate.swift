internal import Foundation
internal import SwiftASN1
internal import X509

/// Content of a certificate before it is issued.
struct CertificateTemplate {
    enum Authority {
        /// Issuer of certificates, with at most the given number of other issuers below it.
        case pathLength(Int)
        /// Certificate that does not issue others.
        case leaf
    }

    let name: String
    let publicKey: Certificate.PublicKey
    let authority: Authority
    /// Apple marker OID: an extension that is checked only for its presence.
    var mark: ASN1ObjectIdentifier?

    /// Issues the certificate. It contains both key identifiers (RFC 5280, sections 4.2.1.1 and 4.2.1.2), which strict
    /// verifiers require.
    func certificate(
        issuedBy issuer: CertificateTemplate,
        key: Certificate.PrivateKey,
        validity: ClosedRange<Date>
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: issuer.distinguishedName,
            subject: distinguishedName,
            extensions: extensions(issuer: issuer),
            issuerPrivateKey: key
        )
    }

    private var distinguishedName: DistinguishedName {
        get throws {
            try DistinguishedName {
                CommonName(name)
                OrganizationName("Vitrine")
            }
        }
    }

    private func extensions(issuer: CertificateTemplate) throws -> Certificate.Extensions {
        let issuerIdentifier = SubjectKeyIdentifier(hash: issuer.publicKey).keyIdentifier
        var extensions = try Certificate.Extensions {
            switch authority {
            case .pathLength(let length):
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: length))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            case .leaf:
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
            }
            SubjectKeyIdentifier(hash: publicKey)
            AuthorityKeyIdentifier(keyIdentifier: issuerIdentifier)
        }
        if let mark {
            try extensions.append(Certificate.Extension(oid: mark, critical: false, value: [0x05, 0x00]))
        }
        return extensions
    }
}
