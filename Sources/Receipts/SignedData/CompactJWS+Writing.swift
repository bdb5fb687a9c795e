internal import Crypto
internal import Foundation

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
