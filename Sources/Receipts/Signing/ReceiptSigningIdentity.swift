internal import Crypto
internal import CryptoExtras
package import Foundation
internal import SwiftASN1
internal import X509

/// An RSA key with a chain of three certificates of the App Store's shape, under a root of its own: what a simulated
/// store signs app receipts with.
package struct ReceiptSigningIdentity: Sendable {
    private let key: _RSA.Signing.PrivateKey
    /// Leaf, intermediate and root.
    private let chain: [Certificate]

    /// Makes new keys and certificates, valid for the twenty years around a date. The keys of root and intermediate
    /// are thrown away: nothing else can ever be signed under this root.
    package init(commonName: String, around date: Date) throws {
        let rootKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let intermediateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let tenYears: TimeInterval = 10 * 365 * 86_400
        let validity = (date - tenYears)...(date + tenYears)
        let root = CertificateTemplate(
            name: "\(commonName) Receipt Root", publicKey: .init(rootKey.publicKey), authority: .pathLength(1))
        let intermediate = CertificateTemplate(
            name: "\(commonName) Receipt Intermediate", publicKey: .init(intermediateKey.publicKey),
            authority: .pathLength(0), mark: StoreCertificateMarks.intermediate)
        let leaf = CertificateTemplate(
            name: "\(commonName) Receipt Signing", publicKey: .init(key.publicKey),
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
        key = try _RSA.Signing.PrivateKey(pemRepresentation: documents[0].pemString)
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

    /// Signs a receipt for a device as the App Store does: PKCS#7 in DER, SHA-256, the chain within.
    ///
    /// - Throws: `RejectionReason` for a receipt that no verifier could read, such as one with an empty identifier.
    package func sign(_ receipt: AppReceipt, deviceIdentifier: Data) throws -> Data {
        try sign(payload: try Self.payload(of: receipt, deviceIdentifier: deviceIdentifier))
    }

    /// What is signed of a receipt for a device, in DER.
    ///
    /// - Throws: `RejectionReason` for a receipt that no verifier could read, such as one with an empty identifier.
    package static func payload(of receipt: AppReceipt, deviceIdentifier: Data) throws -> [UInt8] {
        var receipt = receipt
        receipt.deviceHash = DeviceHash.hash(
            device: deviceIdentifier, opaqueValue: receipt.opaqueValue,
            bundleIdentifier: try AppReceipt.encodedBundleIdentifier(receipt.bundleIdentifier))
        let payload = try receipt.payload()
        _ = try AppReceipt(payload: payload[...])
        return payload
    }

    /// Signs any content.
    package func sign(payload: [UInt8]) throws -> Data {
        let signature = try key.signature(for: SHA256.hash(data: payload), padding: .insecurePKCS1v1_5)
        return try CMSSignedData.encode(
            content: payload, certificates: chain, signature: signature.rawRepresentation)
    }
}
