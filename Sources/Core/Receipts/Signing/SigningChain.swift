internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import VitrineSupport
internal import X509

/// Certificate chain of a signer in the format of the App Store, with its own root.
struct SigningChain: Sendable {
    /// Certificates of the signer: leaf, intermediate and root.
    let certificates: [Certificate]
    /// Keys of the issuers. `nil` if they were discarded, so that no other certificate can be issued under the root.
    private(set) var issuerKeys: IssuerKeys?

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

    /// Issues certificates as the other initializer does, and stores the keys of their issuers.
    init(commonName: String, issuerKeys: IssuerKeys, leaf: Certificate.PublicKey, around date: Date) throws {
        try self.init(
            commonName: commonName, root: .init(issuerKeys.root), intermediate: .init(issuerKeys.intermediate),
            leaf: leaf, around: date)
        self.issuerKeys = issuerKeys
    }

    init(certificates: [Certificate], issuerKeys: IssuerKeys?) {
        (self.certificates, self.issuerKeys) = (certificates, issuerKeys)
    }

    /// Earliest expiration date of the certificates.
    var validUntil: Date { certificates.map(\.notValidAfter).min() ?? .distantPast }

    /// Reads the format of ``pem(key:)``: a private key, three certificates and optionally the keys of their issuers.
    static func read(pem: String) throws -> (key: String, chain: SigningChain) {
        let documents = try PEMDocument.parseMultiple(pemString: pem)
        guard documents.count == 4 || documents.count == 6 else {
            throw SignedDataError(
                code: .certificate,
                reason:
                    "a signing identity must contain a key and three certificates, or these and the keys of two issuers"
            )
        }
        let certificates = try documents[1...3].map { try Certificate(pemDocument: $0) }
        let issuerKeys = documents.count == 6 ? try IssuerKeys(documents[4...], of: certificates) : nil
        return (documents[0].pemString, SigningChain(certificates: certificates, issuerKeys: issuerKeys))
    }

    /// Returns the signer's private key, the certificates, and the keys of their issuers if there are any, in PEM.
    func pem(key: String) throws -> String {
        let certificates = try certificates.map { try $0.serializeAsPEM().pemString }
        return ([key] + certificates + (issuerKeys?.pems ?? [])).joined(separator: "\n")
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

    /// Creates new keys.
    init() { (intermediate, root) = (P384.Signing.PrivateKey(), P384.Signing.PrivateKey()) }

    /// Reads the keys of the intermediate and root certificates.
    ///
    /// - Parameter certificates: Certificates of the chain. The keys must match them.
    fileprivate init(_ documents: ArraySlice<PEMDocument>, of certificates: [Certificate]) throws {
        let keys = try documents.map { try P384.Signing.PrivateKey(pemRepresentation: $0.pemString) }
        guard keys.map({ Certificate.PublicKey($0.publicKey) }) == certificates.dropFirst().map(\.publicKey) else {
            throw SignedDataError(
                code: .key, reason: "the keys of the issuers in a signing identity are not those of its certificates")
        }
        (intermediate, root) = (keys[0], keys[1])
    }

    fileprivate var pems: [String] { [intermediate.pemRepresentation, root.pemRepresentation] }
}

/// Content of a certificate before it is issued.
struct CertificateTemplate {
    enum Authority {
        /// The certificate may issue others, with at most the given number of other issuers below it.
        case pathLength(Int)
        /// The certificate does not issue others.
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
