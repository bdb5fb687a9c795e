import Crypto
import Foundation
import SwiftASN1
import X509

/// OCSP request, in which a test can change any part.
struct OCSPQuestion {
    struct Hash: Sendable {
        let identifier: ASN1ObjectIdentifier
        let hash: @Sendable (ArraySlice<UInt8>) -> [UInt8]

        static let sha1 = Hash(identifier: [1, 3, 14, 3, 2, 26]) { Array(Insecure.SHA1.hash(data: $0)) }
        static let sha256 = Hash(identifier: [2, 16, 840, 1, 101, 3, 4, 2, 1]) { Array(SHA256.hash(data: $0)) }
        static let sha384 = Hash(identifier: [2, 16, 840, 1, 101, 3, 4, 2, 2]) { Array(SHA384.hash(data: $0)) }
        static let sha512 = Hash(identifier: [2, 16, 840, 1, 101, 3, 4, 2, 3]) { Array(SHA512.hash(data: $0)) }
        static let md5 = Hash(identifier: [1, 2, 840, 113549, 2, 5]) { Array(Insecure.MD5.hash(data: $0)) }
    }

    /// Requested certificates, each as its issuer and its serial number.
    var certificates: [(issuer: Certificate, serialNumber: [UInt8])]
    var hash = Hash.sha1
    var version: Int?
    /// Name of the client; `nil` for a request without a name.
    var requestor: String?
    var extensions: [Certificate.Extension] = []
    /// Extensions of each requested certificate.
    var own: [Certificate.Extension] = []
    var isSigned = false

    init(_ certificates: (issuer: Certificate, serialNumber: [UInt8])...) { self.certificates = certificates }

    /// Creates a request for the certificate of a chain at an index, where 0 is the leaf.
    init(_ level: Int, of chain: [Certificate]) {
        self.init((chain[level + 1], Array(chain[level].serialNumber.bytes)))
    }

    static let nonceIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]

    static func nonce(_ bytes: [UInt8], critical: Bool = false) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.serialize(ASN1OctetString(contentBytes: bytes[...]))
        return Certificate.Extension(oid: nonceIdentifier, critical: critical, value: serializer.serializedBytes[...])
    }

    var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { try content(&$0) }
                if isSigned { try coder.tagged(0) { try $0.serialize(ASN1Null()) } }
            }
            return Data(serializer.serializedBytes)
        }
    }

    private func content(_ coder: inout DER.Serializer) throws {
        if let version { try coder.tagged(0) { try $0.serialize(version) } }
        if let requestor { try coder.tagged(1) { try $0.serialize(ASN1UTF8String(requestor)) } }
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            for certificate in certificates {
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(hash.identifier)
                            try coder.serialize(ASN1Null())
                        }
                        var name = DER.Serializer()
                        try name.serialize(certificate.issuer.subject)
                        let key = certificate.issuer.publicKey.subjectPublicKeyInfoBytes
                        try coder.serialize(ASN1OctetString(contentBytes: hash.hash(name.serializedBytes[...])[...]))
                        try coder.serialize(ASN1OctetString(contentBytes: hash.hash(key)[...]))
                        try coder.serialize(certificate.serialNumber[...])
                    }
                    if !own.isEmpty { try coder.tagged(0) { try $0.serializeSequenceOf(own) } }
                }
            }
        }
        if !extensions.isEmpty { try coder.tagged(2) { try $0.serializeSequenceOf(extensions) } }
    }
}

extension DER.Serializer {
    fileprivate mutating func tagged(_ number: UInt, _ body: (inout DER.Serializer) throws -> Void) throws {
        try serialize(explicitlyTaggedWithTagNumber: number, tagClass: .contextSpecific) { try body(&$0) }
    }
}
