internal import Crypto
package import Foundation
internal import SwiftASN1
internal import X509

/// A key with a chain of three certificates of the App Store's shape, under a root of its own: what a simulated store
/// signs with.
package struct SigningIdentity: Sendable {
    private let key: P256.Signing.PrivateKey
    private let chain: [Certificate]

    /// Makes new keys and certificates, valid for the twenty years around a date. The keys of root and intermediate
    /// are thrown away: nothing else can ever be signed under this root.
    package init(commonName: String, around date: Date) throws {
        let rootKey = P384.Signing.PrivateKey()
        let intermediateKey = P384.Signing.PrivateKey()
        key = P256.Signing.PrivateKey()
        let tenYears: TimeInterval = 10 * 365 * 86_400
        let validity = (date - tenYears)...(date + tenYears)
        let root = CertificateTemplate(
            name: "\(commonName) Root", publicKey: .init(rootKey.publicKey), authority: .pathLength(1))
        let intermediate = CertificateTemplate(
            name: "\(commonName) Intermediate", publicKey: .init(intermediateKey.publicKey),
            authority: .pathLength(0), mark: StoreCertificateMarks.intermediate)
        let leaf = CertificateTemplate(
            name: "\(commonName) Signing", publicKey: .init(key.publicKey),
            authority: .leaf, mark: StoreCertificateMarks.leaf)
        chain = [
            try leaf.certificate(issuedBy: intermediate, key: .init(intermediateKey), validity: validity),
            try intermediate.certificate(issuedBy: root, key: .init(rootKey), validity: validity),
            try root.certificate(issuedBy: root, key: .init(rootKey), validity: validity),
        ]
    }

    /// Reads what ``pem`` wrote: the key, then leaf, intermediate and root.
    package init(pem: String) throws {
        let documents = try PEMDocument.parseMultiple(pemString: pem)
        guard documents.count == 4 else {
            throw TrustedRootsError(reason: "a signing identity has a key and three certificates")
        }
        key = try P256.Signing.PrivateKey(pemRepresentation: documents[0].pemString)
        chain = try documents.dropFirst().map { try Certificate(pemDocument: $0) }
    }

    /// The private key and the certificates.
    package var pem: String {
        get throws {
            try ([key.pemRepresentation] + chain.map { try $0.serializeAsPEM().pemString }).joined(separator: "\n")
        }
    }

    /// The certificate that a verifier has to trust.
    package var rootPEM: String {
        get throws { try chain[2].serializeAsPEM().pemString }
    }

    /// Signs the payload of a transaction or an app transaction as a compact JWS with the chain in its header.
    package func sign(_ payload: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "the date is out of range")
                throw EncodingError.invalidValue(date, context)
            }
            var container = encoder.singleValueContainer()
            try container.encode(milliseconds)
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try sign(payload: encoder.encode(payload))
    }

    package func sign(payload: Data) throws -> String {
        struct Header: Encodable {
            let alg = "ES256"
            let x5c: [String]
        }
        let x5c = try chain.map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return Data(serializer.serializedBytes).base64EncodedString()
        }
        return try CompactJWS.sign(payload, header: Header(x5c: x5c), with: key)
    }
}
