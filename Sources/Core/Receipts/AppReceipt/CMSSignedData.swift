internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import SwiftASN1
internal import VitrineSupport
internal import X509

/// Parsed, unverified container of an app receipt: `SignedData` of RFC 5652, section 5, in DER or BER.
///
/// The container must have one signer, which is identified by issuer and serial number and has signed the content
/// itself. Signed attributes are rejected: receipts do not contain them, and they would change the signed data.
struct CMSSignedData {
    /// Signed content, as one sequence of bytes without octet string headers.
    let content: ArraySlice<UInt8>
    /// Certificates in the order of the container.
    let certificates: [Certificate]
    let signer: Certificate
    let digest: Digest
    private let signature: Data

    /// Digest algorithms of the store: SHA-1 until 2023, SHA-256 since then.
    enum Digest: String {
        case sha1 = "SHA-1"
        case sha256 = "SHA-256"
    }

    /// Parses the container of an app receipt.
    ///
    /// - Throws: `malformed` or `algorithm`, with a description of the error.
    init(_ bytes: [UInt8]) throws(RejectionReason) {
        self = try malformed(unless: "the data is not a PKCS#7 container of signed data") {
            try BER.sequence(BER.parseBounded(bytes[...]), identifier: .sequence) { nodes in
                guard try ASN1ObjectIdentifier(berEncoded: &nodes) == .signedData else {
                    throw RejectionReason.malformed("the PKCS#7 container does not contain signed data")
                }
                return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    try CMSSignedData(node: $0)
                }
            }
        }
    }

    private init(node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            try requireVersion1(&nodes)
            let digests = try BER.set(nodes.next(), of: AlgorithmIdentifier.init)
            let content = try Self.content(&nodes)
            let certificates =
                try BER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific, Self.certificates)
                ?? []
            let signers = try BER.set(nodes.next(), of: SignerInfo.init)
            guard signers.count == 1 else {
                throw RejectionReason.malformed("the PKCS#7 container has \(signers.count) signers, not 1")
            }
            guard digests == [signers[0].digestAlgorithm] else {
                throw RejectionReason.malformed(
                    "the digest algorithm of the PKCS#7 container is not that of its signer")
            }
            return try CMSSignedData(content: content, certificates: certificates, signer: signers[0])
        }
    }

    private init(content: ArraySlice<UInt8>, certificates: [Certificate], signer: SignerInfo) throws(RejectionReason) {
        let candidates = certificates.filter {
            $0.issuer == signer.issuer && $0.serialNumber == signer.serialNumber
        }
        guard candidates.count == 1 else {
            throw .malformed("the PKCS#7 container has \(candidates.count) certificates of the signer, not 1")
        }
        self.content = content
        self.certificates = certificates
        self.signer = candidates[0]
        digest = try signer.digest
        signature = signer.signature
    }

    /// Returns `true` if the signer's key has signed the content: RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
    func hasValidSignature() -> Bool {
        guard let key = _RSA.Signing.PublicKey(signer.publicKey) else { return false }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch digest {
        case .sha1:
            key.isValidSignature(signature, for: Insecure.SHA1.hash(data: content), padding: .insecurePKCS1v1_5)
        case .sha256:
            key.isValidSignature(signature, for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5)
        }
    }

    private static func content(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ArraySlice<UInt8> {
        guard let node = nodes.next() else {
            throw RejectionReason.malformed("the PKCS#7 container has no signed content")
        }
        return try BER.sequence(node, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(berEncoded: &nodes) == .data else {
                throw RejectionReason.malformed("the content of the PKCS#7 container is not plain data")
            }
            let content = try BER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try ASN1OctetString(berEncoded: $0).bytes
            }
            guard let content else { throw RejectionReason.malformed("the PKCS#7 container has no signed content") }
            return content
        }
    }

    private static func certificates(_ node: ASN1Node) throws -> [Certificate] {
        guard case .constructed(let nodes) = node.content else {
            throw RejectionReason.malformed("the certificates of the PKCS#7 container are not a set")
        }
        return try nodes.enumerated().map { index, node in
            guard index < CertificateLimits.count else {
                throw RejectionReason.malformed(
                    "the PKCS#7 container has more than \(CertificateLimits.count) certificates")
            }
            return try Certificate(received: node.encodedBytes, in: "the PKCS#7 container")
        }
    }
}

/// Signer and algorithms of a signature: `SignerInfo` of RFC 5652, section 5.3.
private struct SignerInfo {
    let issuer: DistinguishedName
    let serialNumber: Certificate.SerialNumber
    let digestAlgorithm: AlgorithmIdentifier
    let signatureAlgorithm: AlgorithmIdentifier
    let signature: Data

    init(_ node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            try requireVersion1(&nodes)
            return try SignerInfo(&nodes)
        }
    }

    private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        guard let name = nodes.next() else { throw RejectionReason.malformed("the PKCS#7 container names no signer") }
        (issuer, serialNumber) = try BER.sequence(name, identifier: .sequence) { nodes in
            guard let issuer = nodes.next() else {
                throw RejectionReason.malformed("the PKCS#7 container names no signer")
            }
            return (
                try DistinguishedName(derEncoded: issuer),
                Certificate.SerialNumber(bytes: try ArraySlice(berEncoded: &nodes))
            )
        }
        digestAlgorithm = try AlgorithmIdentifier(nodes.next())
        let signedAttributes: Void? = BER.optionalImplicitlyTagged(
            &nodes, tagNumber: 0, tagClass: .contextSpecific
        ) { _ in }
        guard signedAttributes == nil else {
            throw RejectionReason.malformed(
                "the PKCS#7 container has signed attributes, which no receipt of the store has")
        }
        signatureAlgorithm = try AlgorithmIdentifier(nodes.next())
        signature = Data(try ASN1OctetString(berEncoded: &nodes).bytes)
        // Unsigned attributes are skipped, because they cannot be trusted.
        BER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
    }

    var digest: CMSSignedData.Digest {
        get throws(RejectionReason) {
            let digest: CMSSignedData.Digest? =
                switch digestAlgorithm.identifier {
                case .sha1: .sha1
                case .sha256: .sha256
                default: nil
                }
            guard let digest else {
                throw RejectionReason(
                    .algorithm, "the digest algorithm \(digestAlgorithm.name) is not accepted: use SHA-1 or SHA-256")
            }
            // `rsaEncryption` does not specify the digest algorithm, which has its own field (RFC 3370, section 3.2).
            let accepted: [ASN1ObjectIdentifier] = [
                .rsaEncryption, digest == .sha1 ? .sha1WithRSAEncryption : .sha256WithRSAEncryption,
            ]
            guard accepted.contains(signatureAlgorithm.identifier) else {
                throw RejectionReason(
                    .algorithm,
                    "the signature algorithm \(signatureAlgorithm.name) is not accepted: it must be "
                        + "RSA with \(digest.rawValue)")
            }
            return digest
        }
    }
}

/// Algorithm identifier without parameters: the parameters may be absent or null.
private struct AlgorithmIdentifier: Equatable {
    let identifier: ASN1ObjectIdentifier

    /// Numbers of the object identifier, truncated for error messages.
    var name: String { String("\(identifier)".prefix(60)) }

    init(_ node: ASN1Node?) throws {
        guard let node else { throw ASN1Error.truncatedASN1Field() }
        identifier = try BER.sequence(node, identifier: .sequence) { nodes in
            let identifier = try ASN1ObjectIdentifier(berEncoded: &nodes)
            let _: ASN1Null? = try BER.optionalImplicitlyTagged(&nodes)
            return identifier
        }
    }
}

private func requireVersion1(_ nodes: inout ASN1NodeCollection.Iterator) throws {
    guard try Int(berEncoded: &nodes) == 1 else {
        throw RejectionReason.malformed("a version number in the PKCS#7 container is not 1")
    }
}

/// Calls a function, and converts its errors to a rejection of a malformed container.
///
/// - Throws: The rejection that `body` throws; for any other error, a rejection with the text `problem`.
private func malformed<Value>(
    unless problem: String, _ body: () throws -> Value
) throws(RejectionReason) -> Value {
    do {
        return try body()
    } catch let reason as RejectionReason {
        throw reason
    } catch {
        throw .malformed(problem)
    }
}

extension RejectionReason {
    static func malformed(_ detail: String) -> RejectionReason { RejectionReason(.malformed, detail) }
}

extension ASN1ObjectIdentifier {
    static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    static let sha1WithRSAEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 5]
    static let sha256WithRSAEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 11]
}
