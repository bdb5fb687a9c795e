package import Foundation

/// Text for a device to sign, which proves that it has its key.
package struct Challenge: JSONBody, Hashable {
    package let challenge: String

    package init(challenge: String) { self.challenge = challenge }
}

/// Request to enroll a device of an app.
package struct EnrollmentBody: JSONBody, Hashable {
    /// Name of the app at the server.
    package let app: String
    package let request: EnrollmentRequest

    private enum CodingKeys: String, CodingKey {
        case app
    }

    package init(app: String, request: EnrollmentRequest) { (self.app, self.request) = (app, request) }

    package init(from decoder: any Decoder) throws {
        app = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .app)
        request = try EnrollmentRequest(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(app, forKey: .app)
        try request.encode(to: encoder)
    }
}

/// Request to enroll a device.
package struct EnrollmentRequest: Sendable, Hashable, Codable {
    /// Public key of the device: P-256 in X9.63 form.
    package var publicKey: Data
    /// Challenge from the server, at most a minute old.
    package var challenge: String
    /// Signature over the challenge with the device's key, in DER form.
    package var signature: Data
    /// Display name of the device.
    package var name: String
    /// Signed app transaction; `nil` if the device has none.
    package var appTransaction: String?
    /// Token of the app's own login; `nil` if the customer is not logged in.
    package var accountToken: String?

    package init(
        publicKey: Data, challenge: String, signature: Data, name: String, appTransaction: String? = nil,
        accountToken: String? = nil
    ) {
        self.publicKey = publicKey
        self.challenge = challenge
        self.signature = signature
        self.name = name
        self.appTransaction = appTransaction
        self.accountToken = accountToken
    }
}

/// Response to an enrolled device, with its customer, token and key.
package struct Enrollment: JSONBody, Hashable {
    /// Identifier of the device.
    package var device: String
    /// Identifier of the customer, which the app passes with each purchase (`appAccountToken`).
    package var customer: String
    package var token: DeviceToken
    /// Key of the customer, 32 bytes, which seals the documents exchanged by devices and server.
    package var key: Data

    package init(device: String, customer: String, token: DeviceToken, key: Data) {
        (self.device, self.customer, self.token, self.key) = (device, customer, token, key)
    }
}

/// Bearer token for the requests of a device.
package struct DeviceToken: Sendable, Hashable, Codable {
    package var token: String
    /// Expiration of the token, in milliseconds since 1970.
    package var expires: Int64

    package init(token: String, expires: Int64) { (self.token, self.expires) = (token, expires) }
}

/// Request for another token of an enrolled device.
package struct TokenRequest: JSONBody, Hashable {
    package var device: String
    package var challenge: String
    /// Signature over the challenge with the device's key, in DER form.
    package var signature: Data

    package init(device: String, challenge: String, signature: Data) {
        self.device = device
        self.challenge = challenge
        self.signature = signature
    }
}

/// Request to link a device with an account of the app's own login.
package struct AccountTokenBody: JSONBody, Hashable {
    package let token: String

    package init(token: String) { self.token = token }
}
