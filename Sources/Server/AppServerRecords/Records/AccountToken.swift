internal import Crypto
internal import Foundation
internal import VitrineSupport

/// Token from the app's own login: a JWS in compact form (RFC 7515) with the claims `sub`, `aud` and `exp`, and possibly
/// `nbf` (RFC 7519). `Documentation/AppServer.md` describes it for those who write a login.
struct AccountToken {
    /// Identifier of the account in the app's login.
    let subject: String

    /// Maximum remaining validity of an accepted token, in seconds.
    private static let longestValidity: TimeInterval = 300
    /// Maximum lead of the login's clock in seconds: a token for the longest time would otherwise be
    /// refused when it is new.
    private static let longestLead: TimeInterval = 60
    private static let sizeLimit = 4_096

    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

    private struct Claims: Decodable {
        let sub: String
        let aud: Audience
        let exp: Double
        let nbf: Double?
    }

    /// Recipients of a token: a text, or an array of texts (RFC 7519, section 4.1.3).
    private struct Audience: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                names = [try container.decode(String.self)]
            } catch {
                names = try container.decode([String].self)
            }
        }
    }

    /// Verifies an account token.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated`.
    init(_ text: String, for app: ServedApp, at date: Date) throws(CustomerError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.sizeLimit, parts.count == 3, let header: Header = Self.decode(parts[0]),
            let signature = Self.bytes(parts[2]), let key = app.accountKeys[header.kid],
            Self.isSigned(Data("\(parts[0]).\(parts[1])".utf8), signature, header.alg, by: key)
        else {
            throw CustomerError(
                code: .unauthenticated, reason: "the account token is not signed with a key of the app's login")
        }
        guard let claims: Claims = Self.decode(parts[1]) else {
            throw CustomerError(
                code: .unauthenticated, reason: "the claims sub, aud and exp of the account token cannot be read")
        }
        let (start, end) = (Date(timeIntervalSince1970: claims.nbf ?? 0), Date(timeIntervalSince1970: claims.exp))
        guard claims.aud.names.contains(app.bundleIdentifier), start <= date + Self.longestLead, end > date,
            end <= date + Self.longestValidity + Self.longestLead
        else {
            throw CustomerError(
                code: .unauthenticated,
                reason: "the account token is for another app, has not begun or has ended, or is valid for more than "
                    + "five minutes")
        }
        guard (1...200).contains(claims.sub.utf8.count), !claims.sub.utf8.contains(0) else {
            throw CustomerError(code: .unauthenticated, reason: "the account token names no account")
        }
        subject = claims.sub
    }

    private static func isSigned(_ message: Data, _ signature: Data, _ algorithm: String, by key: AccountKey) -> Bool {
        switch (key, algorithm) {
        case (.es256(let key), "ES256"):
            guard let key = try? P256.Signing.PublicKey(x963Representation: key),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case (.edDSA(let key), "EdDSA"):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
            return key.isValidSignature(signature, for: message)
        default: return false
        }
    }

    private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
        bytes(part).flatMap { try? JSONDecoder().decodeForeign(Value.self, from: $0) }
    }

    private static func bytes(_ part: Substring) -> Data? {
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
