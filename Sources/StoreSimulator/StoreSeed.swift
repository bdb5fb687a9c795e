internal import Crypto
internal import Foundation

/// Seed of all generated values of a store, except its keys: the same seed gives the same values.
struct StoreSeed: Sendable {
    let value: UInt64

    /// Number of the first transaction: a million numbers for each seed, with at most fifteen digits, as many as in the
    /// App Store.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// Replacement for the vendor identifier of an iPhone: 16 bytes.
    var deviceIdentifier: Data { bytes(for: "device") }

    /// Opaque value in the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(for: "opaque value") }

    private func bytes(for purpose: String) -> Data {
        Data(SHA256.hash(data: Data("\(value) \(purpose)".utf8)).prefix(16))
    }
}
