internal import Foundation
internal import VitrineAppServerAPI

extension EnrollmentBody {
    /// Maximum length of a device's name at the server, in bytes of UTF-8.
    private static let longestName = 100

    /// Creates a request for enrollment, which answers a challenge of the server with the key of the device. The key is
    /// created if there is none.
    init(
        app: String, name: String, challenge: String, _ evidence: StoreEvidence, accountToken: String? = nil,
        invitation: String? = nil, _ storage: any CredentialStorage
    ) throws(AppServerError) {
        let credentials = try storage.credentials() ?? DeviceCredentials()
        // The key is stored first: if the reply is lost, the next request comes from the same device.
        try storage.store(credentials)
        let (publicKey, name) = (try credentials.publicKey, name.prefix(bytes: Self.longestName))
        var request = EnrollmentRequest(
            publicKey: publicKey, challenge: challenge, signature: Data(), name: name,
            appTransaction: evidence.appTransaction, deviceVerificationID: evidence.deviceVerificationID,
            accountToken: accountToken, invitation: invitation)
        request.signature = try credentials.sign(challenge, for: "enroll \(app)", covering: request.covered)
        self.init(app: app, request: request)
    }
}

/// What the store has signed about the customer of this device, and the identifier to which the store binds it. The
/// identifier is not stored: together with a copy of the signed data, it would let another device pass for this one.
struct StoreEvidence: Sendable {
    /// Signed app transaction; `nil` if there is none now.
    var appTransaction: String?
    var deviceVerificationID: UUID?
}

extension String {
    /// Returns the longest beginning of the text that has at most a number of bytes of UTF-8 and no partial character.
    fileprivate func prefix(bytes most: Int) -> String {
        var text = self[...]
        while text.utf8.count > most { text.removeLast() }
        return String(text)
    }
}
