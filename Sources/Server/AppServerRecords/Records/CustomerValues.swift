package import Foundation
internal import VitrineCatalog

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
    /// Former customers of the device, before operators transferred it.
    var origins: [DeviceOrigin] = []
}

/// Former customer of a device that an operator has transferred. The debits that the server decided for the device before
/// the transfer stay with this customer, and answer repeated requests.
struct DeviceOrigin: Sendable, Hashable {
    let customer: String
    /// Last moment of a debit that the device may have requested before the transfer.
    let end: Date

    /// Time in seconds after a transfer during which a request that began before it may still be recorded.
    private static let grace: TimeInterval = 60

    /// - Parameters:
    ///   - customer: Customer with the remaining parts.
    ///   - latest: Latest moment of the customer's facts; `nil` without facts.
    ///   - date: Date of the transfer.
    init(_ customer: String, latest: Date?, at date: Date) {
        self.customer = customer
        end = max(latest ?? date, date + Self.grace)
    }

    /// Reads an origin from its ``text``; `nil` for any other text.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let end = Int64(parts[1]) else { return nil }
        (customer, self.end) = (String(parts[0]), Date(milliseconds: end))
    }

    /// Text in the list of a device's origins, which commas separate.
    var text: String { "\(customer) \(end.milliseconds)" }
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
