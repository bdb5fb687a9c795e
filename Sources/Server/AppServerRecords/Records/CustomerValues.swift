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

/// State of a customer: owned products and balances of wallets.
package struct CustomerState: Sendable, Hashable {
    /// Sequence number of the customer's last fact.
    package let sequence: Int64
    /// Entity tag without quotes, which changes with the customer's state and the catalog.
    package let tag: String
    /// State of the customer as JSON document.
    package let body: Data
}
