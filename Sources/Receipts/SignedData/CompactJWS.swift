internal import Crypto
internal import Foundation

/// JWS in compact serialization (RFC 7515 section 3.1), parsed and not yet verified.
struct CompactJWS {
    /// Header as contained in the text, in base64url.
    let header: ArraySlice<UInt8>
    let payload: Data
    private let signature: Data
    private let signingInput: ArraySlice<UInt8>

    init(_ text: String) throws(Rejection) {
        let segments = try Segments(text)
        guard let payload = Base64URL.decode(segments.payload), let signature = Base64URL.decode(segments.signature)
        else { throw Rejection(.malformed, "a segment is not base64url without padding") }
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
    /// Three segments of a JWS, still in base64url.
    struct Segments {
        let header: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>
        let signingInput: ArraySlice<UInt8>

        /// Maximum size in bytes; all tokens of the store are smaller.
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

extension CompactJWS {
    /// Signs a payload with ES256 (RFC 7518 section 3.4).
    ///
    /// - Parameter header: JSON of the header, which must name that algorithm.
    static func sign(_ payload: Data, header: some Encodable, with key: P256.Signing.PrivateKey) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let signingInput = "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(payload))"
        let signature = try key.signature(for: Data(signingInput.utf8))
        return "\(signingInput).\(Base64URL.encode(signature.rawRepresentation))"
    }
}
