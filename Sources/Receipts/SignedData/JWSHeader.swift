internal import Foundation
internal import SwiftASN1
internal import X509

/// The header of a JWS (RFC 7515 section 4.1) as it stands there, not yet trusted.
struct JWSHeader: Decodable {
    let alg: String
    let kid: String?
    let x5c: [String]?
    /// What whoever verifies has to understand (RFC 7515 section 4.1.11): the store asks for nothing.
    private let crit: JSONValue?

    /// More than any header of the store needs.
    private static let sizeLimit = 32 * 1024

    /// - Parameter segment: The header in base64url.
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
            throw Rejection(.malformed, "the header is not the JSON of a JWS header: \(error.inOneLine)")
        }
        guard crit == nil else {
            throw Rejection(
                .malformed, "the header has extensions that have to be understood, and the store knows none")
        }
    }

    /// The certificates of `x5c`, the signer's first; none where it is missing.
    var certificates: [Certificate] {
        get throws(Rejection) {
            var certificates: [Certificate] = []
            for base64 in x5c ?? [] {
                guard let der = Data(base64Encoded: base64), der.base64EncodedString() == base64,
                    let certificate = try? Certificate(derEncoded: Array(der))
                else { throw Rejection(.malformed, "the header holds something that is no certificate") }
                certificates.append(certificate)
            }
            return certificates
        }
    }
}
