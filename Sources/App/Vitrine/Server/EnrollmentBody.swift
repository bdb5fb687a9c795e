internal import Foundation
internal import VitrineAppServerAPI

extension EnrollmentBody {
    /// Maximum length of a device's name at the server, in bytes of UTF-8.
    private static let longestName = 100

    /// Creates a request for enrollment, which answers a challenge of the server with the key of the device. The key is
    /// created if there is none.
    init(
        app: String, name: String, challenge: String, appTransaction: String?, accountToken: String?,
        _ storage: any CredentialStorage
    ) throws(AppServerError) {
        let credentials = try storage.credentials() ?? DeviceCredentials()
        // The key is stored first: if the reply is lost, the next request comes from the same device.
        try storage.store(credentials)
        self.init(
            app: app,
            request: EnrollmentRequest(
                publicKey: try credentials.publicKey, challenge: challenge,
                signature: try credentials.sign(challenge, for: "enroll \(app)"),
                name: name.prefix(bytes: Self.longestName), appTransaction: appTransaction,
                accountToken: accountToken))
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
