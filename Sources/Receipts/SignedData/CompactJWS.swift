internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A JWS in compact serialization (RFC 7515 section 3.1) with an ES256 signature and three certificates, taken apart
/// and not yet trusted.
struct CompactJWS {
    let payload: Data
    let leaf: Certificate
    let intermediate: Certificate
    private let signature: Data
    private let signingInput: Data

    private struct Header: Decodable {
        let alg: String
        let x5c: [String]?
    }

    /// More than any token of the store needs.
    private static let sizeLimit = 256 * 1024

    init(_ text: String) throws(Rejection) {
        guard text.utf8.count <= Self.sizeLimit else {
            throw .malformed("the signed data has more than \(Self.sizeLimit) bytes")
        }
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3 else {
            throw .malformed("a JWS has three segments, and this has \(segments.count)")
        }
        guard let headerBytes = Base64URL.decode(segments[0]), let payload = Base64URL.decode(segments[1]),
            let signature = Base64URL.decode(segments[2])
        else { throw .malformed("a segment is not base64url without padding") }
        guard let header = try? JSONDecoder().decode(Header.self, from: headerBytes) else {
            throw .malformed("the header is not the JSON of a JWS header")
        }
        guard header.alg == "ES256" else {
            throw Rejection(
                .algorithm, "the algorithm is \(header.alg), and only ES256 is accepted")
        }
        guard let x5c = header.x5c, x5c.count == 3 else {
            throw .malformed("the header has \(header.x5c?.count ?? 0) certificates, and must have 3")
        }
        leaf = try Self.certificate(x5c[0])
        intermediate = try Self.certificate(x5c[1])
        self.payload = payload
        self.signature = signature
        signingInput = Data("\(segments[0]).\(segments[1])".utf8)
    }

    /// The leaf's key has signed header and payload.
    func hasValidSignature() -> Bool {
        guard let key = P256.Signing.PublicKey(leaf.publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: signingInput)
    }

    private static func certificate(_ base64: String) throws(Rejection) -> Certificate {
        guard let der = Data(base64Encoded: base64), let certificate = try? Certificate(derEncoded: Array(der)) else {
            throw .malformed("the header holds something that is no certificate")
        }
        return certificate
    }
}

extension Rejection {
    fileprivate static func malformed(_ detail: String) -> Rejection { Rejection(.malformed, detail) }
}
