package import Foundation

/// Device of a customer that has enrolled.
package struct EnrolledDevice: Sendable, Hashable {
    package let id: String
    /// Name of the ``ServedApp``.
    package let app: String
    /// Identifier of the customer, a UUID: the app passes it with each purchase as its account token.
    package let customer: String
    /// Name of the device, for people.
    package let name: String
    package let enrolledAt: Date
}

/// Request of a device to enroll.
package struct EnrollmentRequest: Sendable, Hashable, Codable {
    /// Public key of the device, P-256 in X9.63 form.
    package var publicKey: Data
    /// Challenge of the server, at most a minute old.
    package var challenge: String
    /// Signature of the device over ``DeviceProof/message(_:challenge:)``, in DER form.
    package var signature: Data
    /// Name of the device, for people.
    package var name: String
    /// Signed app transaction; `nil` on a device without one.
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

/// Answer to a device that has enrolled.
package struct Enrollment: Sendable, Hashable, Codable {
    /// Identifier of the device.
    package var device: String
    /// Identifier of the customer, which the app passes with each purchase (`appAccountToken`).
    package var customer: String
    package var token: DeviceToken
    /// Key of the customer, with which devices and server seal what they exchange, 32 bytes.
    package var key: Data
}

/// Token with which a device makes its requests.
package struct DeviceToken: Sendable, Hashable, Codable {
    package var token: String
    /// End of the token, in milliseconds since 1970.
    package var expires: Int64
}

/// Request of an enrolled device for another token.
package struct TokenRequest: Sendable, Hashable, Codable {
    package var device: String
    package var challenge: String
    /// Signature of the device over ``DeviceProof/message(_:challenge:)``, in DER form.
    package var signature: Data

    package init(device: String, challenge: String, signature: Data) {
        self.device = device
        self.challenge = challenge
        self.signature = signature
    }
}

/// Answer about signed data that a device has sent.
package struct SignedAnswer: Sendable, Hashable, Codable {
    package enum Result: String, Sendable, Hashable, Codable, CaseIterable {
        /// The data contained a new fact.
        case accepted
        /// All facts in the data were known.
        case known
        /// The data is not from the store, or not for this app.
        case rejected
        /// The data could not be verified or delivered now.
        case undetermined
        /// The data belongs to another customer.
        case elsewhere
    }

    package var result: Result
    /// Reason why it was not recorded; `nil` if it was.
    package var reason: String?
}

/// Products that a customer owns, and balances of their wallets.
package struct CustomerStanding: Sendable, Hashable {
    /// Number of the customer's last fact.
    package let sequence: Int64
    /// Identifier of this state of the customer under this catalog, without quotes.
    package let tag: String
    /// JSON document.
    package let body: Data
}

/// Answer to a debit.
package struct DebitAnswer: Sendable, Hashable, Codable {
    /// `false` if the same debit had been recorded before.
    package var isNew: Bool
    /// Balance of the wallet afterwards.
    package var balance: Int
    /// Number of the customer's last fact.
    package var sequence: Int64
}

/// Answer to a lease.
package struct LeaseAnswer: Sendable, Hashable, Codable {
    package var token: String
    package var wallet: String
    package var amount: Int
    /// End of the lease, in milliseconds since 1970.
    package var expires: Int64
    /// Number of units of the lease that are not spent.
    package var left: Int
    package var sequence: Int64
}

/// Spending from a lease that a device reports.
package struct LeaseDebit: Sendable, Hashable, Codable {
    package var token: String
    package var amount: Int
    /// Date of the spending, in milliseconds since 1970.
    package var spent: Int64

    package init(token: String, amount: Int, spent: Int64) {
        self.token = token
        self.amount = amount
        self.spent = spent
    }
}

/// Outcome of a notification of the store.
package enum NotificationOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// The notification was known already.
    case known
    /// Facts of a customer were recorded, or were known.
    case recorded
    /// Nothing in it is about a customer's facts.
    case noted
    /// Its purchase belongs to no customer yet.
    case unclaimed
    /// Its purchase cannot be delivered under the present catalog.
    case waiting
}
