internal import Foundation
internal import SwiftASN1
internal import X509

/// Certificates of a signer in the format of the App Store, under their own root.
struct SigningChain: Sendable {
    /// Leaf, intermediate and root.
    let certificates: [Certificate]

    /// Issues certificates that are valid for the twenty years around a date.
    ///
    /// - Parameter leaf: The signer's key.
    init(
        commonName: String, root rootKey: Certificate.PrivateKey, intermediate intermediateKey: Certificate.PrivateKey,
        leaf leafKey: Certificate.PublicKey, around date: Date
    ) throws {
        let tenYears: TimeInterval = 10 * 365 * 86_400
        let validity = (date - tenYears)...(date + tenYears)
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

    private init(certificates: [Certificate]) { self.certificates = certificates }

    /// Reads the result of ``pem(key:)``.
    static func read(pem: String) throws -> (key: String, chain: SigningChain) {
        let documents = try PEMDocument.parseMultiple(pemString: pem)
        guard documents.count == 4 else {
            throw SignedDataError(
                code: .certificate, reason: "a signing identity must contain a key and three certificates")
        }
        let certificates = try documents.dropFirst().map { try Certificate(pemDocument: $0) }
        return (documents[0].pemString, SigningChain(certificates: certificates))
    }

    /// Returns the signer's private key and the certificates in PEM.
    func pem(key: String) throws -> String {
        try ([key] + certificates.map { try $0.serializeAsPEM().pemString }).joined(separator: "\n")
    }

    /// Root certificate in PEM, which a verifier has to trust.
    var rootPEM: String {
        get throws { try certificates[2].serializeAsPEM().pemString }
    }
}
