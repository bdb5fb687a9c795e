import Foundation

@testable import VitrineReceipts

/// Generator of valid and invalid tokens.
struct TokenForge {
    let key: AppStoreServerKey
    let date: Date

    /// Claims of a valid token.
    var claims: [String: JSONValue] {
        [
            "iss": .string(key.issuer), "aud": .string("appstoreconnect-v1"), "bid": .string(ServedStore.bundle),
            "exp": .integer(seconds(300)),
        ]
    }

    /// Header of a valid token.
    var header: [String: JSONValue] {
        ["alg": .string("ES256"), "kid": .string(key.identifier), "typ": .string("JWT")]
    }

    /// Returns a date in seconds since 1970, with an offset in seconds from the generator's date.
    func seconds(_ offset: Int64) -> Int64 { Int64(date.timeIntervalSince1970) + offset }

    /// Signs a token with changes of its header and claims.
    ///
    /// - Parameters:
    ///   - signer: Key that signs, whatever the header names; `nil` for the generator's key.
    ///   - claims: Changes of the claims; `nil` removes one.
    func token(
        header: [String: JSONValue?] = [:], signer: AppStoreServerKey? = nil, _ claims: [String: JSONValue?] = [:]
    ) throws -> String {
        let (header, claims) = (self.header.changed(by: header), self.claims.changed(by: claims))
        return try sign(JSONEncoder().encode(header), JSONEncoder().encode(claims), with: signer ?? key)
    }

    /// Signs any header and payload.
    func sign(_ header: Data, _ payload: Data, with signer: AppStoreServerKey) throws -> String {
        let signed = "\(Self.encoded(header)).\(Self.encoded(payload))"
        let key = try ServerSigningKey(pem: signer.pem, identifier: signer.identifier)
        return "\(signed).\(Self.encoded(try Self.raw(key.signature(for: Data(signed.utf8)))))"
    }

    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Converts a signature in DER to 64 bytes.
    private static func raw(_ signature: Data) -> Data {
        var (bytes, numbers) = (Array(signature.dropFirst(2)), Data())
        while bytes.count > 2 {
            let length = Int(bytes[1])
            let number = bytes[2..<(2 + length)].drop { $0 == 0 }
            numbers += Data(repeating: 0, count: 32 - number.count) + number
            bytes.removeFirst(2 + length)
        }
        return numbers
    }
}

extension [String: JSONValue] {
    /// Returns the members with changes; `nil` removes a member.
    func changed(by changes: [String: JSONValue?]) -> Self {
        changes.reduce(into: self) { $0[$1.key] = $1.value }
    }
}
