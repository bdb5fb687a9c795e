import Crypto
import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Certificate chain with keys, like the App Store's except for the changes of a test.
struct TestChain {
    enum KeyUse: Sendable {
        case signsData, signsCertificates
    }

    struct Shape {
        var name = "Test"
        /// Validity periods of leaf, intermediate and root.
        var validity = Array(repeating: (Date.sample - 1_000)...(Date.sample + 1_000), count: 3)
        var leafMark: ASN1ObjectIdentifier? = AppleMarkerOIDs.leaf
        var intermediateMark: ASN1ObjectIdentifier? = AppleMarkerOIDs.intermediate
        var leafKey: Certificate.PrivateKey = .init(P256.Signing.PrivateKey())
        var intermediateKey: Certificate.PrivateKey = .init(P384.Signing.PrivateKey())
        var rootKey: Certificate.PrivateKey = .init(P384.Signing.PrivateKey())
        var intermediateIsAuthority = true
        /// Uses of the keys of leaf and intermediate; empty for certificates without a statement about them.
        var leafUse: [KeyUse] = [.signsData]
        var intermediateUse: [KeyUse] = [.signsCertificates]
        /// Address of the OCSP responder for leaf and intermediate; `nil` for none.
        var responder: String?
    }

    let shape: Shape
    /// Certificates of the chain, starting with the leaf.
    let certificates: [Certificate]

    init(_ change: (inout Shape) -> Void = { _ in }) throws {
        var shape = Shape()
        change(&shape)
        self.shape = shape
        let names = try ["Leaf", "Intermediate", "Root"].map { name in
            try DistinguishedName {
                CommonName("\(shape.name) \(name)")
                OrganizationName("Vitrine")
            }
        }
        let keys = [shape.leafKey, shape.intermediateKey, shape.rootKey]
        let uses = [shape.leafUse, shape.intermediateUse, [.signsCertificates]]
        let marks = [shape.leafMark, shape.intermediateMark, nil]
        certificates = try (0..<3).map { level in
            let issuer = min(level + 1, 2)
            return try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: keys[level].publicKey,
                notValidBefore: shape.validity[level].lowerBound, notValidAfter: shape.validity[level].upperBound,
                issuer: names[issuer], subject: names[level],
                extensions: try Certificate.Extensions {
                    if level == 0 || (level == 1 && !shape.intermediateIsAuthority) {
                        Critical(BasicConstraints.notCertificateAuthority)
                    } else {
                        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: level - 1))
                    }
                    if !uses[level].isEmpty {
                        Critical(
                            KeyUsage(
                                digitalSignature: uses[level].contains(.signsData),
                                keyCertSign: uses[level].contains(.signsCertificates),
                                cRLSign: uses[level].contains(.signsCertificates)))
                    }
                    SubjectKeyIdentifier(hash: keys[level].publicKey)
                    AuthorityKeyIdentifier(
                        keyIdentifier: SubjectKeyIdentifier(hash: keys[issuer].publicKey).keyIdentifier)
                    if let mark = marks[level] {
                        Certificate.Extension(oid: mark, critical: false, value: [0x05, 0x00])
                    }
                    if level < 2, let responder = shape.responder {
                        AuthorityInformationAccess([
                            .init(method: .ocspServer, location: .uniformResourceIdentifier("\(responder)\(level)"))
                        ])
                    }
                },
                issuerPrivateKey: keys[issuer])
        }
    }

    var roots: TrustedRoots {
        get throws { try TrustedRoots(pem: certificates[2].serializeAsPEM().pemString) }
    }

    /// Certificates in the form of the header field `x5c`.
    var x5c: [String] {
        get throws { try certificates.map { try $0.base64 } }
    }

    func header(_ algorithm: String = "ES256", x5c: [String]? = nil) throws -> Data {
        try JSONSerialization.data(
            withJSONObject: ["alg": algorithm, "x5c": x5c ?? self.x5c], options: [.sortedKeys, .withoutEscapingSlashes])
    }

    /// Returns a token with any header and payload, signed with the leaf's key.
    func token(header: Data? = nil, payload: Data) throws -> String {
        let key = try P256.Signing.PrivateKey(pemRepresentation: shape.leafKey.serializeAsPEM().pemString)
        let input = "\(Base64URL.encode(try header ?? self.header())).\(Base64URL.encode(payload))"
        return "\(input).\(Base64URL.encode(try key.signature(for: Data(input.utf8)).rawRepresentation))"
    }

    func token(header: Data? = nil, _ payload: String) throws -> String {
        try token(header: header, payload: Data(payload.utf8))
    }

    func token(header: Data? = nil, _ payload: some Encodable) throws -> String {
        try token(header: header, payload: payload.signedJSON())
    }

    func verifier(
        bundle: String = "com.example.app", app: Int64? = nil, environment: StoreEnvironment = .sandbox,
        validity: CertificateValidity = .whenSigned, now: Date = .sample
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try roots, bundleIdentifier: bundle, appIdentifier: app, environment: environment,
            validity: validity, now: { now })
    }
}

extension Certificate {
    var base64: String {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return Data(serializer.serializedBytes).base64EncodedString()
        }
    }
}

extension Encodable {
    /// Returns the JSON as the store writes it, with dates in milliseconds.
    func signedJSON() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
