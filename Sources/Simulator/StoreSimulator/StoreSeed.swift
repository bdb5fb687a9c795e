internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineReceipts

/// Seed of all generated values of a store, except its keys: the same seed gives the same values.
struct StoreSeed: Sendable {
    let value: UInt64

    /// Number of the store's first transaction. Each seed has a million numbers, of at most fifteen digits as in the
    /// App Store.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// Replacement for the vendor identifier of an iPhone: 16 bytes.
    func deviceIdentifier(of device: Int64) -> Data { bytes(for: device == 1 ? "device" : "device \(device)") }

    /// Identifier of a customer's purchase of the app: 18 digits, as in the App Store.
    func appTransactionID(of customer: Int64) -> String {
        let number = bytes(for: "customer \(customer)").prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(700_000_000_000_000_000 + number % 100_000_000_000_000_000)
    }

    /// Opaque value in the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(for: "opaque value") }

    /// Identifier of a subscription period, derived from the number of its transaction.
    func webOrderLineItemID(of transaction: String) -> String { "8\(transaction)" }

    /// Identifier of a device, to which signed data on the device is bound.
    func deviceVerificationID(of device: Int64) -> UUID {
        uuid(device == 1 ? "device verification" : "device verification \(device)")
    }

    /// Returns the nonce and the value that bind data with a signature date to a device.
    func deviceVerification(
        of signed: String, at date: Date, on device: Int64
    ) -> (nonce: String, value: String) {
        let nonce = uuid("\(signed) \(date.milliseconds)")
        let value = DeviceVerification.value(nonce: nonce, device: deviceVerificationID(of: device))
        return (nonce.uuidString.lowercased(), value.base64EncodedString())
    }

    /// Returns the identifier of a notification or of another numbered object, as a UUID in lower case.
    func numberedIdentifier(_ number: Int64, purpose: String) -> String {
        uuid("\(purpose) \(number)").uuidString.lowercased()
    }

    /// Key that authenticates the pagination tokens of servers: 16 bytes.
    var continuationKey: Data { bytes(for: "continuation") }

    /// Bytes from which the identifier of a key of the app's server is derived: 16 bytes.
    func serverKeyBytes(_ number: Int) -> Data { bytes(for: "server key \(number)") }

    private func uuid(_ purpose: String) -> UUID {
        bytes(for: purpose).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private func bytes(for purpose: String) -> Data {
        Data(SHA256.hash(data: Data("\(value) \(purpose)".utf8)).prefix(16))
    }
}
