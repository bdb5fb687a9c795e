internal import Crypto
package import Foundation
internal import VitrineSupport

/// Bearer token with which an app's server authorizes a request to the App Store Server API, parsed and not yet
/// verified: a compact JWS that is signed with ES256. See Apple's
/// [Generating JSON Web Tokens for API requests](https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests).
///
/// Identifiers in a token are compared byte by byte with those that are accepted, as HTTP compares them, and not by the
/// equality of strings, which ignores differences in normalization.
package struct ServerToken: Sendable {
    /// Identifier of the key that signed the token according to its header.
    package let keyIdentifier: String
    /// Issuer of the key (claim `iss`); `nil` if the token does not name it.
    package let issuer: String?
    /// Recipient of the token (claim `aud`), which must be ``audienceOfStore``; `nil` if the token does not name it.
    package let audience: String?
    /// App that the request is about (claim `bid`); `nil` if the token does not name it.
    package let bundleIdentifier: String?
    /// Time at which the token was issued (claim `iat`); `nil` if the token does not contain it, as many servers omit it.
    package let issued: Date?
    /// Time from which the token is no longer valid (claim `exp`); `nil` if the token does not contain it.
    package let expiry: Date?
    private let jws: CompactJWS

    /// Maximum size of a token in bytes. Tokens of servers have a few hundred.
    package static let sizeLimit = 8 * 1024

    /// Recipient of all tokens for the App Store Server API.
    package static let audienceOfStore = "appstoreconnect-v1"

    /// Parses a token.
    ///
    /// - Parameter text: Token without the word `Bearer`.
    /// - Returns: `nil` if the text is longer than ``sizeLimit``, is not a compact JWS of three segments in base64url
    ///   with the algorithm ES256 and a key identifier, or has a claim of another type or a date that no calendar has.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.sizeLimit, let jws = try? CompactJWS(text),
            let header = try? JWSHeader(segment: jws.header), header.alg == "ES256", let kid = header.kid,
            let claims = try? JSONDecoder().decodeForeign(Claims.self, from: jws.payload),
            [claims.iat, claims.exp].allSatisfy({ abs($0 ?? 0) <= Self.lastSecond })
        else { return nil }
        self.jws = jws
        keyIdentifier = kid
        (issuer, audience, bundleIdentifier) = (claims.iss, claims.aud, claims.bid)
        issued = claims.iat.map(Date.init(timeIntervalSince1970:))
        expiry = claims.exp.map(Date.init(timeIntervalSince1970:))
    }

    /// Returns `true` if a key has signed the token.
    package func isSigned(by key: ServerPublicKey) -> Bool { jws.isSigned(by: key.key) }

    /// Last second of the year 9999.
    private static let lastSecond: TimeInterval = 253_402_300_799

    private struct Claims: Decodable {
        let iss: String?
        let aud: String?
        let bid: String?
        let iat: Double?
        let exp: Double?
    }
}

/// Public part of a key with which an app's server signs its tokens.
package struct ServerPublicKey: Sendable {
    fileprivate let key: P256.Signing.PublicKey

    /// Reads a public key.
    ///
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    package init(pem: String) throws(SignedDataError) { key = try P256.Signing.PublicKey(storePEM: pem) }
}
