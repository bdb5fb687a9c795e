internal import Foundation
internal import SwiftASN1
internal import X509

extension CMSSignedData {
    /// Returns a container in DER in the format of the App Store.
    ///
    /// - Parameters:
    ///   - certificates: Certificates, the signer's first.
    ///   - signature: RSA signature with SHA-256 of the content itself.
    static func encode(content: [UInt8], certificates: [Certificate], signature: Data) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(ASN1ObjectIdentifier.signedData)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(1)
                    try coder.appendConstructedNode(identifier: .set) { try $0.algorithm(.sha256) }
                    try coder.content(content)
                    try coder.appendConstructedNode(identifier: .certificates) { coder in
                        for certificate in certificates { try coder.serialize(certificate) }
                    }
                    try coder.appendConstructedNode(identifier: .set) { coder in
                        try coder.signer(certificates[0], signature)
                    }
                }
            }
        }
        return Data(serializer.serializedBytes)
    }
}

extension DER.Serializer {
    fileprivate mutating func content(_ content: [UInt8]) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(ASN1ObjectIdentifier.data)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: content[...]))
            }
        }
    }

    fileprivate mutating func signer(_ certificate: Certificate, _ signature: Data) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(1)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(certificate.issuer)
                try coder.serialize(certificate.serialNumber.bytes)
            }
            try coder.algorithm(.sha256)
            try coder.algorithm(.rsaEncryption)
            try coder.serialize(ASN1OctetString(contentBytes: ArraySlice(signature)))
        }
    }

    fileprivate mutating func algorithm(_ identifier: ASN1ObjectIdentifier) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            try coder.serialize(ASN1Null())
        }
    }
}

extension ASN1Identifier {
    fileprivate static let certificates = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}
