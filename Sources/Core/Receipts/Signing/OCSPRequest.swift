internal import Foundation
internal import SwiftASN1
internal import X509

/// Request for the status of certificates (RFC 6960, section 4.1.1), from a client that may be hostile. An optional
/// signature of the request is not checked, because the status of a certificate is not secret.
struct OCSPRequest {
    /// Certificates in the order of the request; at least one.
    let certificates: [CertificateReference]
    /// Nonce, which a client checks in the response to detect an old response; `nil` if the client has not sent it.
    let nonce: Certificate.Extension?

    /// Maximum size of a request in bytes, sufficient for a hundred certificates.
    private static let sizeLimit = 16 * 1024

    /// Parses a request in DER.
    ///
    /// - Throws: `ASN1Error` for data that is not a request, or has an unknown version or critical extension.
    init(der data: Data) throws {
        guard data.count <= Self.sizeLimit else {
            throw ASN1Error.invalidASN1Object(reason: "the request has more than \(Self.sizeLimit) bytes")
        }
        self = try DER.sequence(DER.parse(Array(data)), identifier: .sequence) { nodes in
            let content = try DER.sequence(nodes.next().required, identifier: .sequence) { try OCSPRequest(&$0) }
            let _: Void? = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { _ in }
            return content
        }
    }

    /// Reads `TBSRequest`, the part of a request that a client can sign.
    private init(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        let version = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
            try Int(derEncoded: $0)
        }
        guard version ?? 0 == 0 else { throw ASN1Error.invalidASN1Object(reason: "the request has an unknown version") }
        let _: Void? = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
        certificates = try DER.sequence(
            of: CertificateReference.self, identifier: .sequence, rootNode: nodes.next().required)
        guard !certificates.isEmpty else {
            throw ASN1Error.invalidASN1Object(reason: "the request names no certificate")
        }
        let extensions = try readExtensions(&nodes, tagNumber: 2)
        nonce = extensions[oid: .ocspNonce]
        guard extensions.allSatisfy({ !$0.critical || $0.oid == .ocspNonce }) else {
            throw ASN1Error.invalidASN1Object(reason: "the request has an unknown critical extension")
        }
        // The limits of a nonce's length are those of RFC 9654, section 2.1.
        if let nonce, try !(1...128).contains(ASN1OctetString(derEncoded: nonce.value).bytes.count) {
            throw ASN1Error.invalidASN1Object(reason: "the nonce of the request has a wrong length")
        }
    }
}

/// Identifier of a certificate in a request: `Request` and `CertID` of RFC 6960, section 4.1.1.
struct CertificateReference: DERParseable {
    /// Encoded `CertID`, which a response has to repeat.
    let encoded: ArraySlice<UInt8>
    /// Hash algorithm of ``issuerName`` and ``issuerKey``.
    let algorithm: ASN1ObjectIdentifier
    /// Hash of the issuer's name.
    let issuerName: ArraySlice<UInt8>
    /// Hash of the issuer's public key.
    let issuerKey: ArraySlice<UInt8>

    init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            let reference = try CertificateReference(identifier: nodes.next().required)
            guard try readExtensions(&nodes, tagNumber: 0).allSatisfy({ !$0.critical }) else {
                throw ASN1Error.invalidASN1Object(reason: "the request has an unknown critical extension")
            }
            return reference
        }
    }

    private init(identifier node: ASN1Node) throws {
        encoded = node.encodedBytes
        (algorithm, issuerName, issuerKey) = try DER.sequence(node, identifier: .sequence) { nodes in
            let algorithm = try DER.sequence(nodes.next().required, identifier: .sequence) { nodes in
                let algorithm = try ASN1ObjectIdentifier(derEncoded: &nodes)
                let _: ASN1Null? = try DER.optionalImplicitlyTagged(&nodes)
                return algorithm
            }
            let name = try ASN1OctetString(derEncoded: &nodes).bytes
            let key = try ASN1OctetString(derEncoded: &nodes).bytes
            // The serial number must be a number, but is not used, because all certificates have the same status.
            _ = try ArraySlice<UInt8>(derEncoded: &nodes)
            return (algorithm, name, key)
        }
    }
}

/// Reads the extensions of a request or of a certificate in it. The result is empty if the field is missing.
private func readExtensions(
    _ nodes: inout ASN1NodeCollection.Iterator, tagNumber: UInt
) throws -> Certificate.Extensions {
    let extensions = try DER.optionalExplicitlyTagged(&nodes, tagNumber: tagNumber, tagClass: .contextSpecific) {
        try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: $0)
    }
    return try Certificate.Extensions(extensions ?? [])
}

extension ASN1Node? {
    fileprivate var required: ASN1Node {
        get throws {
            guard let self else { throw ASN1Error.truncatedASN1Field() }
            return self
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let ocspNonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
}
