internal import Foundation
internal import SwiftASN1
internal import X509

/// Header of a JWS (RFC 7515 section 4.1), not yet verified.
struct JWSHeader: Decodable {
    let alg: String
    let kid: String?
    let x5c: [String]?
    /// Extensions that a verifier must understand (RFC 7515 section 4.1.11); the store uses none.
    private let crit: JSONValue?

    /// Maximum size in bytes; all headers of the store are smaller.
    private static let sizeLimit = 32 * 1024

    /// Reads a header.
    ///
    /// - Parameter segment: Header in base64url.
    init(segment: ArraySlice<UInt8>) throws(Rejection) {
        guard segment.count <= Self.sizeLimit else {
            throw Rejection(.malformed, "the header has more than \(Self.sizeLimit) bytes")
        }
        guard let bytes = Base64URL.decode(segment) else {
            throw Rejection(.malformed, "the header is not base64url without padding")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: bytes)
        } catch {
            throw Rejection(.malformed, "the header is not a valid JWS header: \(error.inOneLine)")
        }
        guard crit == nil else {
            throw Rejection(
                .malformed, "the header has critical extensions (crit), and the store uses none")
        }
    }

    /// Certificates of `x5c`, the signer's first; empty if it is missing.
    var certificates: [Certificate] {
        get throws(Rejection) {
            var certificates: [Certificate] = []
            for base64 in x5c ?? [] {
                guard let der = Data(base64Encoded: base64), der.base64EncodedString() == base64,
                    let certificate = try? Certificate(derEncoded: Array(der))
                else { throw Rejection(.malformed, "the header has an invalid certificate") }
                certificates.append(certificate)
            }
            return certificates
        }
    }
}
