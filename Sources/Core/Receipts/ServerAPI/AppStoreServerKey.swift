public import Foundation
public import VitrineSupport

/// In-app purchase key of App Store Connect. An app's server uses it to authorize its requests to the App Store Server
/// API.
public struct AppStoreServerKey: Sendable {
    /// Issuer identifier of the key's account in App Store Connect, a UUID.
    public let issuer: String
    private let key: ServerSigningKey

    /// Reads a private key.
    ///
    /// - Parameters:
    ///   - pem: Private key in PEM (PKCS #8): the content of the file `AuthKey_<identifier>.p8` of App Store Connect.
    ///   - identifier: Identifier of the key in App Store Connect.
    ///   - issuer: Issuer identifier in App Store Connect.
    /// - Throws: ``SignedDataError`` if the text is not a P-256 key in PEM.
    public init(pem: String, identifier: String, issuer: String) throws(SignedDataError) {
        key = try ServerSigningKey(pem: pem, identifier: identifier)
        self.issuer = issuer
    }

    /// Creates a new key, for a server that emulates the App Store Server API.
    package init(newWithIdentifier identifier: String, issuer: String) {
        key = ServerSigningKey(newWithIdentifier: identifier)
        self.issuer = issuer
    }

    /// Identifier of the key in App Store Connect.
    public var identifier: String { key.identifier }

    /// Private key in PEM (PKCS #8), as in a file `AuthKey_<identifier>.p8`.
    package var pem: String { key.pem }

    /// Public key in PEM, for verifying tokens of this key.
    package var publicKeyPEM: String { key.publicKeyPEM }

    /// Creates the bearer token of a request.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: App for which the request is made.
    ///   - date: Current date, which is the start of the token's validity.
    ///   - lifetime: Validity of the token in seconds. The store accepts at most 3600.
    /// - Throws: ``SignedDataError`` with the code `token` if the date or the lifetime is out of range.
    public func token(
        for bundleIdentifier: String, at date: Date, lifetime: TimeInterval = 300
    ) throws(SignedDataError) -> String {
        guard let issued = Int64(exactly: date.timeIntervalSince1970.rounded(.down)),
            let expiry = Int64(exactly: (date.timeIntervalSince1970 + lifetime).rounded(.down))
        else { throw SignedDataError(code: .token, reason: "the date or the lifetime of the token is out of range") }
        return try key.sign(
            Claims(
                iss: issuer, aud: ServerToken.audienceOfStore, bid: bundleIdentifier, iat: issued, exp: expiry))
    }

    private struct Claims: Encodable {
        let iss: String
        let aud: String
        let bid: String
        let iat: Int64
        let exp: Int64
    }
}
