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
    /// Signature over the challenge and ``covered`` with the device's key, in DER form.
    package var signature: Data
    /// Display name of the device.
    package var name: String
    /// Signed app transaction; `nil` if the device has none.
    package var appTransaction: String?
    /// Identifier to which the store binds the data that it signs for the device; `nil` if the device has none. The
    /// server does not store it.
    package var deviceVerificationID: UUID?
    /// Token of the app's own login; `nil` if the customer is not logged in.
    package var accountToken: String?
    /// Invitation that another device of the customer has signed; `nil` for none.
    package var invitation: String?

    package init(
        publicKey: Data, challenge: String, signature: Data, name: String, appTransaction: String? = nil,
        deviceVerificationID: UUID? = nil, accountToken: String? = nil, invitation: String? = nil
    ) {
        self.publicKey = publicKey
        self.challenge = challenge
        self.signature = signature
        self.name = name
        self.appTransaction = appTransaction
        self.deviceVerificationID = deviceVerificationID
        self.accountToken = accountToken
        self.invitation = invitation
    }

    /// Values that the signature covers, besides the name of the app and the challenge.
    package var covered: [String?] {
        [name, appTransaction, deviceVerificationID?.uuidString.lowercased(), accountToken, invitation]
    }
}

/// Invitation with which a device of a customer agrees that another device becomes one of the customer's. Its text form
/// is the identifier of the device, the challenge, and the signature in base64, separated by periods.
package struct DeviceInvitation: Sendable, Hashable {
    package let device: String
    package let challenge: String
    /// Signature over the challenge with the key of the device, in DER form.
    package let signature: Data

    private static let longest = 500

    package init(device: String, challenge: String, signature: Data) {
        (self.device, self.challenge, self.signature) = (device, challenge, signature)
    }

    /// Reads an invitation; `nil` for a text that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // A challenge consists of three parts itself.
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0), parts.count == 5,
            let signature = Data(base64Encoded: String(parts[4]))
        else { return nil }
        self.init(device: String(parts[0]), challenge: parts[1...3].joined(separator: "."), signature: signature)
    }

    package var text: String { "\(device).\(challenge).\(signature.base64EncodedString())" }
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

/// Enrolled devices of a customer.
package struct DeviceList: JSONBody, Hashable {
    package let devices: [ListedDevice]

    package init(devices: [ListedDevice]) { self.devices = devices }
}

/// Enrolled device of a customer, as the customer's devices see it.
package struct ListedDevice: Sendable, Hashable, Codable {
    package let id: String
    package let name: String
    /// Date of the enrollment, in milliseconds since 1970.
    package let created: Int64
    /// Date at which the device last requested a token, in milliseconds since 1970.
    package let seen: Int64

    package init(id: String, name: String, created: Int64, seen: Int64) {
        (self.id, self.name, self.created, self.seen) = (id, name, created, seen)
    }
}

/// Challenge that a device has signed with its key.
package struct SignedChallenge: JSONBody, Hashable {
    package let challenge: String
    /// Signature over the challenge and the purpose of the request with the device's key, in DER form.
    package let signature: Data

    package init(challenge: String, signature: Data) { (self.challenge, self.signature) = (challenge, signature) }
}
