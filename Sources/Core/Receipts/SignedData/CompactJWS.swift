internal import Crypto
package import Foundation
internal import SwiftASN1
internal import VitrineSupport
internal import X509

/// Parsed, unverified JWS in compact serialization (RFC 7515 section 3.1).
struct CompactJWS {
    /// Encoded header of the JWS, in Base64url.
    let header: ArraySlice<UInt8>
    let payload: Data
    private let signature: Data
    private let signingInput: ArraySlice<UInt8>

    init(_ text: String) throws(Rejection) {
        let segments = try Segments(text)
        guard let payload = Base64URL.decode(segments.payload), let signature = Base64URL.decode(segments.signature)
        else { throw Rejection(.malformed, "a segment of the JWS is not base64url without padding") }
        header = segments.header
        self.payload = payload
        self.signature = signature
        signingInput = segments.signingInput
    }

    /// Returns `true` if the key has signed header and payload with ES256 (RFC 7518 section 3.4).
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: signingInput)
    }
}

extension CompactJWS {
    /// Three segments of a JWS, encoded in Base64url.
    struct Segments {
        let header: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>
        let signingInput: ArraySlice<UInt8>

        /// Maximum size of a JWS in bytes. All tokens of the store are smaller.
        static let sizeLimit = 256 * 1024

        init(_ text: String) throws(Rejection) {
            guard text.utf8.count <= Self.sizeLimit else {
                throw Rejection(.malformed, "the signed data has more than \(Self.sizeLimit) bytes")
            }
            let bytes = Array(text.utf8)
            let dot = UInt8(ascii: ".")
            guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
                !bytes[(second + 1)...].contains(dot)
            else {
                let count = bytes.count { $0 == dot } + 1
                throw Rejection(.malformed, "a JWS must have 3 segments, not \(count)")
            }
            header = bytes[..<first]
            payload = bytes[(first + 1)..<second]
            signature = bytes[(second + 1)...]
            signingInput = bytes[..<second]
        }
    }
}

/// Parts of an unverified JWS in compact serialization. Only for an implementation of the store, which reads data that
/// it has signed itself.
package struct UnverifiedJWS: Sendable, Hashable {
    package let text: String
    package let header: Data
    package let payload: Data
    package let signature: Data

    /// Splits and decodes a JWS.
    ///
    /// - Returns: `nil` if the text is not a JWS.
    package init?(_ text: String) {
        guard let segments = try? CompactJWS.Segments(text), let header = Base64URL.decode(segments.header),
            let payload = Base64URL.decode(segments.payload), let signature = Base64URL.decode(segments.signature)
        else { return nil }
        (self.text, self.header, self.payload, self.signature) = (text, header, payload, signature)
    }

    /// Signed bytes: header and payload in Base64url.
    package var signedBytes: Data { Data(text[..<(text.lastIndex(of: ".") ?? text.endIndex)].utf8) }

    /// Decodes the claims of the payload.
    ///
    /// - Returns: `nil` if the payload does not have the claims of the type.
    package func decode<Payload: Decodable>(_ type: Payload.Type) -> Payload? {
        try? JSONDecoder.storeDates.decodeForeign(Payload.self, from: payload)
    }
}

extension CompactJWS {
    /// Signs a payload with ES256 (RFC 7518 section 3.4).
    ///
    /// - Parameter header: JSON of the header, which must contain this algorithm.
    static func sign(_ payload: Data, header: some Encodable, with key: P256.Signing.PrivateKey) throws -> String {
        try SigningHeader(header).sign(payload, with: key)
    }

    /// Header for signing data. It is encoded and hashed once for any number of payloads.
    struct SigningHeader {
        private let text: String
        private let hash: SHA256

        /// Encodes a header, which must contain the algorithm ES256.
        init(_ header: some Encodable) throws {
            text = "\(Base64URL.encode(try JSONEncoder.sorted.encode(header)))."
            var hash = SHA256()
            hash.update(data: Data(text.utf8))
            self.hash = hash
        }

        /// Signs a payload with ES256 (RFC 7518 section 3.4).
        func sign(_ payload: Data, with key: P256.Signing.PrivateKey) throws -> String {
            let payload = Base64URL.encode(payload)
            var hash = hash
            hash.update(data: Data(payload.utf8))
            let signature = try key.signature(for: hash.finalize())
            return "\(text)\(payload).\(Base64URL.encode(signature.rawRepresentation))"
        }
    }
}

/// Unverified header of a JWS (RFC 7515 section 4.1).
struct JWSHeader: Decodable {
    let alg: String
    let kid: String?
    let x5c: [String]?
    /// Extensions that a verifier must understand (RFC 7515 section 4.1.11). The store uses none.
    private let crit: JSONValue?

    /// Maximum size of a header in bytes. All headers of the store are smaller.
    private static let sizeLimit = 32 * 1024

    /// Reads the header of a JWS.
    ///
    /// - Parameter segment: Header in Base64url.
    init(segment: ArraySlice<UInt8>) throws(Rejection) {
        guard segment.count <= Self.sizeLimit else {
            throw Rejection(.malformed, "the JWS header has more than \(Self.sizeLimit) bytes")
        }
        guard let bytes = Base64URL.decode(segment) else {
            throw Rejection(.malformed, "the JWS header is not base64url without padding")
        }
        do {
            self = try JSONDecoder().decodeForeign(Self.self, from: bytes)
        } catch {
            throw Rejection(.malformed, "the header is not a valid JWS header: \(error.inOneLine)")
        }
        guard crit == nil else {
            throw Rejection(
                .malformed, "the JWS header has critical extensions (crit), and the store uses none")
        }
    }

    /// Certificates in the header field `x5c`. The first one is the signer's; the array is empty if the field is
    /// missing.
    var certificates: [Certificate] {
        get throws(Rejection) {
            var certificates: [Certificate] = []
            for base64 in x5c ?? [] {
                guard let der = Data(base64Encoded: base64), der.base64EncodedString() == base64 else {
                    throw Rejection(.malformed, "the JWS header has a certificate that is not base64")
                }
                do throws(RejectionReason) {
                    certificates.append(try Certificate(received: Array(der)[...], in: "the JWS header"))
                } catch {
                    throw Rejection([error])
                }
            }
            return certificates
        }
    }
}

/// Base64 with the URL-safe alphabet, as RFC 7515 section 2 requires: without padding. Unused bits of the last
/// character must be zero, so that the same bytes have only one encoding.
enum Base64URL {
    static func encode(_ bytes: some DataProtocol) -> String {
        var characters = Array(Data(bytes).base64EncodedData())
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        for index in characters.indices {
            switch characters[index] {
            case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Decodes a text in Base64url.
    ///
    /// - Returns: `nil` for a text that ``encode(_:)`` would not produce.
    static func decode(_ text: some StringProtocol) -> Data? { decode(Array(text.utf8)[...]) }

    /// Decodes characters in Base64url.
    ///
    /// - Returns: `nil` for characters that ``encode(_:)`` would not produce.
    static func decode(_ text: ArraySlice<UInt8>) -> Data? {
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { buffer, count in
            for character in text {
                guard let value = value(of: character) else {
                    isValid = false
                    return
                }
                pending = pending << 6 | UInt32(value)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    buffer[count] = UInt8(truncatingIfNeeded: pending >> bits)
                    count += 1
                    pending &= 1 << bits - 1
                }
            }
        }
        return isValid && bits < 6 && pending == 0 ? Data(bytes) : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
