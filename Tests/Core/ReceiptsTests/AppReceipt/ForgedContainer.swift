import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// PKCS#7 container whose parts can be replaced by invalid ones.
struct ForgedContainer {
    var contentType = ASN1ObjectIdentifier.data
    var content: [UInt8]
    var digestAlgorithms: [ASN1ObjectIdentifier] = [.sha256]
    var certificates: [Certificate]
    var signers: [ForgedSigner]

    /// Creates a valid container, signed with the key of a chain.
    init(_ receipt: AppReceipt = .sample(), chain: ForgedChain) throws {
        try self.init(content: receipt.hashed(for: .device).payload(), chain: chain)
    }

    init(content: [UInt8], chain: ForgedChain, digest: CMSSignedData.Digest = .sha256) throws {
        self.content = content
        certificates = chain.certificates
        signers = [try ForgedSigner(content: content, chain: chain, digest: digest)]
        if digest == .sha1 { digestAlgorithms = [.sha1] }
    }

    func der() throws -> Data {
        try Data(
            encoded { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(ASN1ObjectIdentifier.signedData)
                    try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            coder.serializeRawBytes(try version())
                            try coder.appendConstructedNode(identifier: .sequence) { coder in
                                try coder.serialize(contentType)
                                try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                                    try $0.serialize(ASN1OctetString(contentBytes: content[...]))
                                }
                            }
                            coder.serializeRawBytes(try end())
                        }
                    }
                }
            })
    }

    /// Returns the container with indefinite lengths, and with the content in octet strings of a given number of bytes,
    /// as Xcode writes it.
    func ber(chunk: Int) throws -> Data {
        let open: [UInt8] = [0x30, 0x80]
        let tag: [UInt8] = [0xA0, 0x80]
        let signedData = try encoded { try $0.serialize(ASN1ObjectIdentifier.signedData) }
        var bytes = open + signedData + tag + open
        bytes += try version()
        bytes += open
        bytes += try encoded { try $0.serialize(contentType) }
        bytes += tag + [0x24, 0x80]
        for start in stride(from: 0, to: content.count, by: chunk) {
            let part = content[start..<min(start + chunk, content.count)]
            bytes += try encoded { try $0.serialize(ASN1OctetString(contentBytes: part)) }
        }
        bytes += [UInt8](repeating: 0, count: 6)
        bytes += try end()
        return Data(bytes + [UInt8](repeating: 0, count: 6))
    }

    /// Returns the parts before the content.
    private func version() throws -> [UInt8] {
        try encoded { coder in
            try coder.serialize(1)
            try coder.appendConstructedNode(identifier: .set) { coder in
                for algorithm in digestAlgorithms { try coder.algorithm(algorithm) }
            }
        }
    }

    /// Returns the parts after the content.
    private func end() throws -> [UInt8] {
        try encoded { coder in
            let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
            try coder.appendConstructedNode(identifier: tag) { coder in
                for certificate in certificates { try coder.serialize(certificate) }
            }
            try coder.appendConstructedNode(identifier: .set) { coder in
                for signer in signers { try signer.serialize(into: &coder) }
            }
        }
    }
}

/// Signer information of a container.
struct ForgedSigner {
    var version = 1
    var certificate: Certificate
    var digestAlgorithm: ASN1ObjectIdentifier
    var signatureAlgorithm = ASN1ObjectIdentifier.rsaEncryption
    var signsAttributes = false
    var hasUnsignedAttributes = false
    var signature: Data

    init(content: [UInt8], chain: ForgedChain, digest: CMSSignedData.Digest = .sha256) throws {
        certificate = chain.certificates[0]
        digestAlgorithm = digest == .sha1 ? .sha1 : .sha256
        signature = try chain.sign(content, digest: digest)
    }

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(version)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(certificate.issuer)
                try coder.serialize(certificate.serialNumber.bytes)
            }
            try coder.algorithm(digestAlgorithm)
            if signsAttributes { coder.appendPrimitiveNode(identifier: attributes(0)) { $0 += [] } }
            try coder.algorithm(signatureAlgorithm)
            try coder.serialize(ASN1OctetString(contentBytes: ArraySlice(signature)))
            if hasUnsignedAttributes { coder.appendPrimitiveNode(identifier: attributes(1)) { $0 += [] } }
        }
    }

    private func attributes(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

/// Key of a leaf certificate, with certificates that may differ from those of a store.
struct ForgedChain {
    typealias Mark = ASN1ObjectIdentifier

    /// Keys that all tests share, because generating RSA keys is slow.
    private static let keys: [_RSA.Signing.PrivateKey] = (0..<3).map { _ in
        do {
            return try _RSA.Signing.PrivateKey(keySize: .bits2048)
        } catch {
            fatalError("no key: \(error)")
        }
    }

    private let key = keys[0]
    var certificates: [Certificate]

    /// Creates a chain of three certificates.
    init(
        leafMark: Mark? = AppleMarkerOIDs.leaf,
        intermediateMark: Mark? = AppleMarkerOIDs.intermediate
    ) throws {
        let keys = Self.keys
        let validity = (Date.sample - 1_000)...(Date.sample + 1_000)
        let root = CertificateTemplate(name: "Root", publicKey: .init(keys[2].publicKey), authority: .pathLength(1))
        let intermediate = CertificateTemplate(
            name: "Intermediate", publicKey: .init(keys[1].publicKey), authority: .pathLength(0), mark: intermediateMark
        )
        let leaf = CertificateTemplate(
            name: "Leaf", publicKey: .init(keys[0].publicKey), authority: .leaf, mark: leafMark)
        certificates = [
            try leaf.certificate(issuedBy: intermediate, key: .init(keys[1]), validity: validity),
            try intermediate.certificate(issuedBy: root, key: .init(keys[2]), validity: validity),
            try root.certificate(issuedBy: root, key: .init(keys[2]), validity: validity),
        ]
    }

    /// Returns a chain of one self-signed certificate, like Xcode's.
    static func alone(name: String = "Tests") throws -> ForgedChain {
        var chain = try ForgedChain()
        let key = keys[0]
        let template = CertificateTemplate(
            name: name, publicKey: .init(key.publicKey), authority: .leaf, mark: AppleMarkerOIDs.leaf)
        chain.certificates = [
            try template.certificate(
                issuedBy: template, key: .init(key), validity: (Date.sample - 1_000)...(Date.sample + 1_000))
        ]
        return chain
    }

    var rootPEM: String {
        get throws { try certificates[certificates.count - 1].serializeAsPEM().pemString }
    }

    func sign(_ content: [UInt8], digest: CMSSignedData.Digest) throws -> Data {
        switch digest {
        case .sha1:
            try key.signature(for: Insecure.SHA1.hash(data: content), padding: .insecurePKCS1v1_5).rawRepresentation
        case .sha256:
            try key.signature(for: SHA256.hash(data: content), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}

extension AppReceipt {
    func hashed(for device: Data) throws -> AppReceipt {
        var receipt = self
        receipt.deviceHash = DeviceHash.hash(
            device: device, opaqueValue: opaqueValue,
            bundleIdentifier: try AppReceipt.encodedBundleIdentifier(bundleIdentifier))
        return receipt
    }
}

extension DER.Serializer {
    fileprivate mutating func algorithm(_ identifier: ASN1ObjectIdentifier) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            try coder.serialize(ASN1Null())
        }
    }
}

private func encoded(_ body: (inout DER.Serializer) throws -> Void) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try body(&serializer)
    return serializer.serializedBytes
}
