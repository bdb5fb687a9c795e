internal import Foundation

/// Body of a request for enrollment, which answers a challenge of the server with the key of the device.
struct EnrollmentBody: Encodable, Sendable {
    let app: String
    /// Public key of the device in X9.63 form.
    let publicKey: Data
    let challenge: String
    /// Signature of the device in DER form.
    let signature: Data
    let name: String
    let appTransaction: String?
    let accountToken: String?

    /// Maximum length of a device's name at the server, in bytes of UTF-8.
    private static let longestName = 100

    /// Signs a challenge with the key of the device, which is created if there is none.
    init(
        app: String, name: String, challenge: String, appTransaction: String?, accountToken: String?,
        _ storage: any CredentialStorage
    ) throws(AppServerError) {
        let credentials = try storage.credentials() ?? DeviceCredentials()
        // The key is stored first: if the reply is lost, the next request comes from the same device.
        try storage.store(credentials)
        publicKey = try credentials.publicKey
        signature = try credentials.sign(challenge, for: "enroll \(app)")
        (self.app, self.challenge, self.name) = (app, challenge, name.prefix(bytes: Self.longestName))
        (self.appTransaction, self.accountToken) = (appTransaction, accountToken)
    }
}

extension String {
    /// Returns the longest beginning of the text that has at most a number of bytes of UTF-8 and no partial character.
    fileprivate func prefix(bytes most: Int) -> String {
        var text = self[...]
        while text.utf8.count > most { text.removeLast() }
        return String(text)
    }
}
