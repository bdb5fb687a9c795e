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
    let deviceVerificationID: String?
    let accountToken: String?
    let invitation: String?

    /// Maximum length of a device's name at the server, in bytes of UTF-8.
    private static let longestName = 100

    /// Signs a challenge and the other values with the key of the device, which is created if there is none.
    init(
        app: String, name: String, challenge: String, _ evidence: StoreEvidence, accountToken: String? = nil,
        invitation: String? = nil, _ storage: any CredentialStorage
    ) throws(AppServerError) {
        let credentials = try storage.credentials() ?? DeviceCredentials()
        // The key is stored first: if the reply is lost, the next request comes from the same device.
        try storage.store(credentials)
        publicKey = try credentials.publicKey
        (self.app, self.challenge, self.name) = (app, challenge, name.prefix(bytes: Self.longestName))
        appTransaction = evidence.appTransaction
        deviceVerificationID = evidence.deviceVerificationID?.uuidString.lowercased()
        (self.accountToken, self.invitation) = (accountToken, invitation)
        signature = try credentials.sign(
            challenge, for: "enroll \(app)",
            covering: [self.name, appTransaction, deviceVerificationID, accountToken, invitation])
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
