internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import VitrineSupport
internal import X509

/// Certificate chain of a signer in the format of the App Store, with its own root.
struct SigningChain: Sendable {
    /// Certificates of the signer: leaf, intermediate and root.
    let certificates: [Certificate]

    /// Issues certificates that are valid from ten years before a date until thirty years after it, because a test
    /// store's clock may be moved that far.
    ///
    /// - Parameter leaf: The signer's public key.
    init(
        commonName: String, root rootKey: Certificate.PrivateKey, intermediate intermediateKey: Certificate.PrivateKey,
        leaf leafKey: Certificate.PublicKey, around date: Date
    ) throws {
        let tenYears: TimeInterval = 10 * 365 * 86_400
        let validity = (date - tenYears)...(date + 3 * tenYears)
        let root = CertificateTemplate(
            name: "\(commonName) Root", publicKey: rootKey.publicKey, authority: .pathLength(1))
        let intermediate = CertificateTemplate(
            name: "\(commonName) Intermediate", publicKey: intermediateKey.publicKey, authority: .pathLength(0),
            mark: AppleMarkerOIDs.intermediate)
        let leaf = CertificateTemplate(
            name: "\(commonName) Signing", publicKey: leafKey, authority: .leaf, mark: AppleMarkerOIDs.leaf)
        certificates = [
            try leaf.certificate(issuedBy: intermediate, key: intermediateKey, validity: validity),
            try intermediate.certificate(issuedBy: root, key: rootKey, validity: validity),
            try root.certificate(issuedBy: root, key: rootKey, validity: validity),
        ]
    }

    init(certificates: [Certificate]) { self.certificates = certificates }

    /// Earliest expiration date of the certificates.
    var validUntil: Date { certificates.map(\.notValidAfter).min() ?? .distantPast }

    /// Reads a private key, three certificates and the keys of issuers from the result of ``pem(key:issuerKeys:)``.
    ///
    /// - Parameter count: Number of keys of issuers.
    static func read(
        pem: String, issuerKeyCount count: Int
    ) throws -> (key: String, chain: SigningChain, issuerKeys: [String]) {
        let documents = try PEMDocument.parseMultiple(pemString: pem)
        guard documents.count == 4 + count else {
            throw SignedDataError(
                code: .certificate,
                reason: "a signing identity must contain a key, three certificates and the keys of \(count) issuers")
        }
        let certificates = try documents[1...3].map { try Certificate(pemDocument: $0) }
        return (
            documents[0].pemString, SigningChain(certificates: certificates), documents[4...].map(\.pemString)
        )
    }

    /// Returns the signer's private key, the certificates and the keys of issuers in PEM.
    func pem(key: String, issuerKeys: [String]) throws -> String {
        let certificates = try certificates.map { try $0.serializeAsPEM().pemString }
        return ([key] + certificates + issuerKeys).joined(separator: "\n")
    }

    /// Root certificate in PEM, which a verifier has to trust.
    var rootPEM: String {
        get throws { try certificates[2].serializeAsPEM().pemString }
    }
}

/// Private keys of the issuers in a ``SigningChain``.
struct IssuerKeys: Sendable {
    let intermediate: P384.Signing.PrivateKey
    let root: P384.Signing.PrivateKey

    init() { (intermediate, root) = (P384.Signing.PrivateKey(), P384.Signing.PrivateKey()) }

    /// Reads the keys of intermediate and root from the format of ``pems``.
    ///
    /// - Parameter chain: Chain that the keys must belong to.
    init(pems: [String], of chain: SigningChain) throws {
        let keys = try pems.map { try P384.Signing.PrivateKey(pemRepresentation: $0) }
        guard keys.map({ Certificate.PublicKey($0.publicKey) }) == chain.certificates.dropFirst().map(\.publicKey)
        else {
            throw SignedDataError(
                code: .key, reason: "the keys of the issuers in a signing identity are not those of its certificates")
        }
        (intermediate, root) = (keys[0], keys[1])
    }

    /// The keys of intermediate and root in PEM.
    var pems: [String] { [intermediate.pemRepresentation, root.pemRepresentation] }
}

/// Content of a certificate before it is issued.
struct CertificateTemplate {
    enum Authority {
        /// Certificate of an issuer, with at most the given number of further issuers below it in a chain.
        case pathLength(Int)
        /// Certificate at the end of a chain, which does not issue certificates.
        case leaf
    }

    let name: String
    let publicKey: Certificate.PublicKey
    let authority: Authority
    /// Apple marker OID: an extension whose presence is checked, but not its value.
    var mark: ASN1ObjectIdentifier?

    /// Issues a certificate from the template. The certificate contains both key identifiers (RFC 5280, sections
    /// 4.2.1.1 and 4.2.1.2), which strict verifiers require.
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
