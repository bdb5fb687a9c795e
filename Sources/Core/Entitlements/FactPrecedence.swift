internal import Foundation

/// Identifiers of devices under which the app's own server records facts.
///
/// In the ledger of a customer at the server, a fact without a device is the server's own. Documents of devices never
/// have these identifiers there, because the server refuses them.
package enum ServerDeviceIdentifier {
    /// Device of facts that follow from what the store has signed.
    package static let store = "store"
    /// Device of facts that the server has decided for a customer who was merged into another one.
    package static let merged = "server"
    /// Beginning of the identifier under which the server publishes its own facts.
    package static let publishing = "server-"
    /// Beginning of the identifiers of enrolled devices. Facts under them are what the server has decided for the device:
    /// its leases, and the debits that it has reported of them.
    package static let enrolled = "enrolled-"

    /// Identifiers of which all letters count.
    package static let names = [store, merged]
    /// Beginnings of the other identifiers.
    package static let prefixes = [publishing, enrolled]

    package static func contains(_ device: String) -> Bool {
        names.contains(device) || prefixes.contains { device.hasPrefix($0) }
    }
}

/// The place of a record of a fact among all records of the same fact: the first one counts, on each device and at the
/// server.
///
/// A record of the app's server comes before all records of devices, whatever their moments and amounts are, because
/// the server is the authority of its customers. Of the records of devices, the earliest one comes first.
struct FactPrecedence {
    let isOfServer: Bool
    let moment: Date

    /// - Parameters:
    ///   - device: Device that has made the record; `nil` for this ledger.
    ///   - isServer: `true` for the ledger of a customer at the app's server.
    init(device: String?, isServer: Bool, moment: Date) {
        isOfServer = device.map(ServerDeviceIdentifier.contains) ?? isServer
        self.moment = moment
    }

    /// Returns `true` if this record comes before another one, `nil` if neither does because both are at the same
    /// moment.
    func isBefore(_ other: FactPrecedence) -> Bool? {
        guard isOfServer == other.isOfServer else { return isOfServer }
        return moment == other.moment ? nil : moment < other.moment
    }
}
