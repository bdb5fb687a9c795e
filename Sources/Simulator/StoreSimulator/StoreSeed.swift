internal import Crypto
internal import Foundation
internal import VitrineCatalog

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

    /// Identifier of the customer's devices, to which signed data on a device is bound.
    var deviceVerificationID: UUID { uuid("device verification") }

    /// Returns the nonce for the device verification of signed data with a signature date.
    func deviceVerificationNonce(of signed: String, at date: Date) -> UUID { uuid("\(signed) \(date.milliseconds)") }

    /// Returns the value that binds signed data to a device: the SHA-384 hash of the nonce and the device's identifier,
    /// both in lower case, as Apple documents for
    /// [deviceVerification](https://developer.apple.com/documentation/storekit/transaction/deviceverification).
    func deviceVerification(with nonce: UUID) -> Data {
        let text = nonce.uuidString.lowercased() + deviceVerificationID.uuidString.lowercased()
        return Data(SHA384.hash(data: Data(text.utf8)))
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
