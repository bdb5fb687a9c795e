internal import Crypto
package import Foundation
internal import VitrineSupport

/// Parsed, unverified bearer token of a request to the App Store Server API. An app's server signs it as a compact JWS
/// with ES256. See Apple's
/// [Generating JSON Web Tokens for API requests](https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests).
///
/// Identifiers in a token must be compared byte by byte, as in HTTP, because the equality of strings ignores
/// differences in normalization.
package struct ServerToken: Sendable {
    /// Identifier of the signing key, according to the token's header.
    package let keyIdentifier: String
    /// Issuer of the key (claim `iss`); `nil` if the token does not contain it.
    package let issuer: String?
    /// Recipient of the token (claim `aud`), which must be ``audienceOfStore``; `nil` if the token does not contain it.
    package let audience: String?
    /// App for which the request is made (claim `bid`); `nil` if the token does not contain it.
    package let bundleIdentifier: String?
    /// Time at which the token was issued (claim `iat`); `nil` if the token does not contain it. Many servers omit it.
    package let issued: Date?
    /// Time at which the token expires (claim `exp`); `nil` if the token does not contain it.
    package let expiry: Date?
    private let jws: CompactJWS

    /// Maximum size of a token in bytes. Usual tokens have a few hundred bytes.
    package static let sizeLimit = 8 * 1024

    /// Recipient of all tokens for the App Store Server API.
    package static let audienceOfStore = "appstoreconnect-v1"

    /// Parses a token.
    ///
    /// - Parameter text: Token without the word `Bearer`.
    /// - Returns: `nil` if the text is longer than ``sizeLimit``, is not a compact JWS of three segments in Base64url
    ///   with the algorithm ES256 and a key identifier, or has a claim of another type or a date after the year 9999.
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

/// Public key for verifying the tokens of an app's server.
package struct ServerPublicKey: Sendable {
    fileprivate let key: P256.Signing.PublicKey

    /// Reads a public key.
    ///
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    package init(pem: String) throws(SignedDataError) { key = try P256.Signing.PublicKey(storePEM: pem) }
}
