internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// Response to an ``OCSPRequest`` (RFC 6960, section 4.2.1), in DER.
struct OCSPResponse {
    /// Error status of a response to a request that cannot be answered. Such a response is not signed.
    enum Failure: UInt8 {
        case malformedRequest = 1
        case internalError = 2
        /// The responder does not know the issuers of the certificates in the request.
        case unauthorized = 6
    }

    let der: Data

    init(_ failure: Failure) {
        // A SEQUENCE with one ENUMERATED.
        der = Data([0x30, 0x03, 0x0A, 0x01, failure.rawValue])
    }

    /// Encodes a response, signs it with ECDSA and SHA-384, and adds the signer's certificate.
    init(
        _ content: OCSPResponseContent, signedWith key: P384.Signing.PrivateKey, of signer: Certificate
    ) throws {
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { coder in
            var signed = DER.Serializer()
            try signed.serialize(content)
            let signature = try key.signature(for: signed.serializedBytes).derRepresentation
            coder.serializeRawBytes(signed.serializedBytes)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(ASN1ObjectIdentifier.ecdsaWithSHA384)
            }
            try coder.serialize(ASN1BitString(bytes: ArraySlice(signature)))
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.serializeSequenceOf([signer])
            }
        }
        var response = DER.Serializer()
        try response.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(ASN1ObjectIdentifier.basicOCSPResponse)
                    try coder.serialize(ASN1OctetString(contentBytes: basic.serializedBytes[...]))
                }
            }
        }
        der = Data(response.serializedBytes)
    }
}

/// Signed part of a response: `ResponseData` of RFC 6960, section 4.2.1.
struct OCSPResponseContent: DERSerializable {
    enum Status: UInt {
        case good = 0
        case unknown = 2
    }

    /// SHA-1 hash of the signer's public key, which identifies the signer in the response.
    let responder: [UInt8]
    let date: Date
    let answers: [(certificate: CertificateReference, status: Status)]
    let nonce: Certificate.Extension?

    /// Cache lifetime of an answer for clients, in seconds.
    private static let lifetime: TimeInterval = 3_600
    /// Time in seconds by which answers are backdated, so that clients with a slow clock accept them.
    private static let age: TimeInterval = 300

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: responder[...]))
            }
            coder.append(date)
            coder.appendConstructedNode(identifier: .sequence) { coder in
                for answer in answers { append(answer.certificate, answer.status, to: &coder) }
            }
            guard let nonce else { return }
            try coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { coder in
                try coder.serializeSequenceOf([nonce])
            }
        }
    }

    private func append(
        _ certificate: CertificateReference, _ status: Status, to coder: inout DER.Serializer
    ) {
        coder.appendConstructedNode(identifier: .sequence) { coder in
            coder.serializeRawBytes(certificate.encoded)
            coder.appendPrimitiveNode(
                identifier: ASN1Identifier(tagWithNumber: status.rawValue, tagClass: .contextSpecific)
            ) { _ in }
            coder.append(date - Self.age)
            coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                coder.append(date + Self.lifetime)
            }
        }
    }
}

extension DER.Serializer {
    /// Appends a date as `GeneralizedTime`, in UTC and to the second.
    fileprivate mutating func append(_ date: Date) {
        let separators = Set("-:T".utf8)
        appendPrimitiveNode(identifier: .generalizedTime) { bytes in
            bytes.append(contentsOf: date.inISO8601.utf8.filter { !separators.contains($0) })
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let basicOCSPResponse: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
    fileprivate static let ecdsaWithSHA384: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 3]
}
