package import Crypto
package import Foundation

/// The app's own login, which signs tokens of its accounts for the app's server.
package struct AppLogin: Sendable {
    /// Identifier of the key in tokens.
    package static let name = "login"

    private let key = P256.Signing.PrivateKey()

    package init() {}

    package var publicKey: P256.Signing.PublicKey { key.publicKey }

    /// Returns a token of an account.
    ///
    /// - Parameters:
    ///   - date: Date at which the token is signed.
    ///   - validity: Time in seconds after which it ends.
    ///   - name: Identifier of the key that the token names.
    package func token(
        of account: String, for audience: String, at date: Date, validity: TimeInterval = 200, name: String = name
    ) throws -> String {
        let end = Int(date.timeIntervalSince1970 + validity)
        return try token(claims: #"{"sub":"\#(account)","aud":"\#(audience)","exp":\#(end)}"#, name: name)
    }

    /// Returns a token with claims, which are a JSON object.
    package func token(claims: String, name: String = name) throws -> String {
        let signed = Self.part(Data(#"{"alg":"ES256","kid":"\#(name)"}"#.utf8)) + "." + Self.part(Data(claims.utf8))
        return "\(signed).\(Self.part(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }

    /// Encodes a part of the token in base64url (RFC 4648, section 5).
    private static func part(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
