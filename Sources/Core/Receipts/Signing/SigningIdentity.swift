internal import Crypto
internal import CryptoExtras
package import Foundation
internal import SwiftASN1
internal import X509

/// Key of a simulated store for signing JWS data, with a chain of three certificates in the format of the App Store and
/// its own root.
package struct SigningIdentity: Sendable {
    private let key: P256.Signing.PrivateKey
    private let chain: SigningChain
    private let issuerKeys: IssuerKeys
    private let header: CompactJWS.SigningHeader

    /// Creates new keys and certificates, valid from ten years before a date until thirty years after it.
    package init(commonName: String, around date: Date) throws {
        let (key, issuerKeys) = (P256.Signing.PrivateKey(), IssuerKeys())
        let chain = try SigningChain(
            commonName: commonName, root: .init(issuerKeys.root), intermediate: .init(issuerKeys.intermediate),
            leaf: .init(key.publicKey), around: date)
        try self.init(key, chain, issuerKeys)
    }

    /// Reads a signing identity that is encoded like ``pem``: the key, then leaf, intermediate and root, then the keys
    /// of intermediate and root.
    package init(pem: String) throws {
        let (key, chain, issuerKeys) = try SigningChain.read(pem: pem, issuerKeyCount: 2)
        try self.init(
            P256.Signing.PrivateKey(pemRepresentation: key), chain, IssuerKeys(pems: issuerKeys, of: chain))
    }

    private init(_ key: P256.Signing.PrivateKey, _ chain: SigningChain, _ issuerKeys: IssuerKeys) throws {
        struct Header: Encodable {
            let alg = "ES256"
            let x5c: [String]
        }
        let x5c = try chain.certificates.map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return Data(serializer.serializedBytes).base64EncodedString()
        }
        (self.key, self.chain, self.issuerKeys) = (key, chain, issuerKeys)
        header = try CompactJWS.SigningHeader(Header(x5c: x5c))
    }

    /// Private keys and certificates in PEM.
    package var pem: String {
        get throws { try chain.pem(key: key.pemRepresentation, issuerKeys: issuerKeys.pems) }
    }

    /// Root certificate in PEM, which a verifier has to trust.
    package var rootPEM: String {
        get throws { try chain.rootPEM }
    }

    /// Earliest expiration date of the certificates.
    package var validUntil: Date { chain.validUntil }

    /// Signs the payload of a transaction or an app transaction as a compact JWS with the chain in its header.
    package func sign(_ payload: some Encodable) throws -> String {
        try sign(payload: JSONEncoder.storeDates.encode(payload))
    }

    package func sign(payload: Data) throws -> String { try header.sign(payload, with: key) }

    /// Address of the OCSP responder in the certificates; `nil` if they contain none.
    package var responder: URL? { chain.responder }

    /// Returns the identity with new certificates of leaf and intermediate that contain the address of an OCSP
    /// responder, and otherwise differ from the old ones only in their serial numbers. Keys and root remain, so that a
    /// verifier that trusts the root also accepts data that was signed before.
    package func naming(responder: URL) throws -> SigningIdentity {
        try SigningIdentity(key, chain.naming(responder: responder, issuerKeys: issuerKeys), issuerKeys)
    }

    /// Responds to an OCSP request (RFC 6960) about the certificates of this identity, including those that
    /// ``naming(responder:)`` has replaced. The status of all of them is good, and the answer can be cached for an
    /// hour.
    ///
    /// - Parameters:
    ///   - request: Request in DER; it may be hostile.
    ///   - date: Current date of the computer, not of a simulated store, because clients compare it with their own.
    /// - Returns: Response in DER. The response to an invalid request, or for certificates of other issuers, contains
    ///   an error.
    package func respond(to request: Data, at date: Date) -> Data {
        CertificateResponder(chain, issuerKeys).respond(to: request, at: date).der
    }
}

/// RSA key of a simulated store for signing app receipts, with a chain of three certificates in the format of the App
/// Store and its own root.
package struct ReceiptSigningIdentity: Sendable {
    private let key: _RSA.Signing.PrivateKey
    private let chain: SigningChain

    /// Creates new keys and certificates, valid from ten years before a date until thirty years after it. The keys of
    /// root and intermediate are discarded, so that no other certificate can be issued under this root.
    package init(commonName: String, around date: Date) throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        chain = try SigningChain(
            commonName: "\(commonName) Receipt", root: .init(_RSA.Signing.PrivateKey(keySize: .bits2048)),
            intermediate: .init(_RSA.Signing.PrivateKey(keySize: .bits2048)), leaf: .init(key.publicKey), around: date)
    }

    /// Reads a signing identity that is encoded like ``pem``: the key, then the leaf, intermediate and root
    /// certificates.
    package init(pem: String) throws {
        let (key, chain, _) = try SigningChain.read(pem: pem, issuerKeyCount: 0)
        self.key = try _RSA.Signing.PrivateKey(pemRepresentation: key)
        self.chain = chain
    }

    /// Private key and certificates in PEM.
    package var pem: String {
        get throws { try chain.pem(key: key.pemRepresentation, issuerKeys: []) }
    }

    /// Root certificate in PEM, which a verifier has to trust.
    package var rootPEM: String {
        get throws { try chain.rootPEM }
    }

    /// Signs a receipt for a device in the format of the App Store: PKCS#7 in DER, with SHA-256 and the certificate
    /// chain.
    ///
    /// - Throws: `RejectionReason` for a receipt that cannot be verified, for example because an identifier is empty.
    package func sign(_ receipt: AppReceipt, deviceIdentifier: Data) throws -> Data {
        try sign(payload: try Self.payload(of: receipt, deviceIdentifier: deviceIdentifier))
    }

    /// Returns the bytes to sign for a receipt and a device, in DER.
    ///
    /// - Throws: `RejectionReason` for a receipt that cannot be verified, for example because an identifier is empty.
    package static func payload(of receipt: AppReceipt, deviceIdentifier: Data) throws -> [UInt8] {
        var receipt = receipt
        receipt.deviceHash = DeviceHash.hash(
            device: deviceIdentifier, opaqueValue: receipt.opaqueValue,
            bundleIdentifier: try AppReceipt.encodedBundleIdentifier(receipt.bundleIdentifier))
        let payload = try receipt.payload()
        _ = try AppReceipt(payload: payload[...])
        return payload
    }

    /// Signs bytes as the content of a PKCS#7 container, like a receipt. The bytes need not be a valid receipt.
    package func sign(payload: [UInt8]) throws -> Data {
        let signature = try key.signature(for: SHA256.hash(data: payload), padding: .insecurePKCS1v1_5)
        return try CMSSignedData.encode(
            content: payload, certificates: chain.certificates, signature: signature.rawRepresentation)
    }
}
