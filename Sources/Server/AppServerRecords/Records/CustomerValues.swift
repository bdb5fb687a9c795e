package import Foundation

/// Enrolled device of a customer.
package struct EnrolledDevice: Sendable, Hashable {
    package let id: String
    /// Name of the device's app, as in ``ServedApp``.
    package let app: String
    /// Identifier of the customer, a UUID. The app passes it with each purchase as account token (`appAccountToken`).
    package let customer: String
    /// Display name of the device.
    package let name: String
    package let enrolledAt: Date
}

/// Request to enroll a device.
package struct EnrollmentRequest: Sendable, Hashable, Codable {
    /// Public key of the device: P-256 in X9.63 form.
    package var publicKey: Data
    /// Challenge from the server, at most a minute old.
    package var challenge: String
    /// Signature of ``DeviceProof/message(_:challenge:covering:)`` over ``covered`` with the device's key, in DER form.
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
    /// Signature of ``DeviceProof/message(_:challenge:covering:)`` with the key of the device, in DER form.
    package let signature: Data

    private static let longest = 500

    /// Reads an invitation; `nil` for a text that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // A challenge consists of three parts itself.
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0), parts.count == 5,
            let signature = Data(base64Encoded: String(parts[4]))
        else { return nil }
        device = String(parts[0])
        challenge = parts[1...3].joined(separator: ".")
        self.signature = signature
    }
}

/// Response to an enrolled device, with its customer, token and key.
package struct Enrollment: Sendable, Hashable, Codable {
    /// Identifier of the device.
    package var device: String
    /// Identifier of the customer, which the app passes with each purchase (`appAccountToken`).
    package var customer: String
    package var token: DeviceToken
    /// Key of the customer, 32 bytes, which seals the documents exchanged by devices and server.
    package var key: Data
}

/// Bearer token for the requests of a device.
package struct DeviceToken: Sendable, Hashable, Codable {
    package var token: String
    /// Expiration of the token, in milliseconds since 1970.
    package var expires: Int64
}

/// Request for another token of an enrolled device.
package struct TokenRequest: Sendable, Hashable, Codable {
    package var device: String
    package var challenge: String
    /// Signature of ``DeviceProof/message(_:challenge:covering:)`` with the device's key, in DER form.
    package var signature: Data

    package init(device: String, challenge: String, signature: Data) {
        self.device = device
        self.challenge = challenge
        self.signature = signature
    }
}

/// Result for one item of signed data that a device has sent.
package struct SignedAnswer: Sendable, Hashable, Codable {
    package enum Result: String, Sendable, Hashable, Codable, CaseIterable {
        /// The data contained a new fact.
        case accepted
        /// All facts in the data were already recorded.
        case known
        /// The data was not signed by the store, or belongs to another app.
        case rejected
        /// The data cannot be verified or delivered at the moment.
        case undetermined
        /// The data belongs to another customer.
        case elsewhere
    }

    package var result: Result
    /// Reason why the data was not recorded; `nil` if it was.
    package var reason: String?
}

/// State of a customer: owned products and balances of wallets.
package struct CustomerState: Sendable, Hashable {
    /// Sequence number of the customer's last fact.
    package let sequence: Int64
    /// Entity tag without quotes, which changes with the customer's state and the catalog.
    package let tag: String
    /// State of the customer as JSON document.
    package let body: Data
}

/// Response to a debit.
package struct DebitAnswer: Sendable, Hashable, Codable {
    /// `false` if the same debit was recorded before.
    package var isNew: Bool
    /// Balance of the wallet after the debit.
    package var balance: Int
    /// Sequence number of the customer's last fact.
    package var sequence: Int64
}

/// Response to a request about a lease.
package struct LeaseAnswer: Sendable, Hashable, Codable {
    package var token: String
    package var wallet: String
    package var amount: Int
    /// Expiration of the lease, in milliseconds since 1970.
    package var expires: Int64
    /// Number of unspent units of the lease.
    package var left: Int
    package var sequence: Int64
}

/// Debit from a lease, as a device reports it.
package struct LeaseDebit: Sendable, Hashable, Codable {
    package var token: String
    package var amount: Int
    /// Date of the debit, in milliseconds since 1970.
    package var spent: Int64

    package init(token: String, amount: Int, spent: Int64) {
        self.token = token
        self.amount = amount
        self.spent = spent
    }
}

/// Outcome of processing a notification of the store.
package enum NotificationOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// The notification was received before.
    case known
    /// The customer's facts in the notification were recorded, now or before.
    case recorded
    /// The notification contains no new fact about a customer.
    case noted
    /// The purchase in the notification belongs to no customer yet.
    case unclaimed
    /// The purchase in the notification cannot be delivered with the current catalog.
    case waiting
}
