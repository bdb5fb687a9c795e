internal import Crypto
internal import Foundation

/// What everything follows from that a store makes up, but for its keys: from the same seed, the same.
struct StoreSeed: Sendable {
    let value: UInt64

    /// The number of the first transaction: a million numbers for each seed, with fifteen digits at most, as many as an
    /// App Store's have.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// What stands for the vendor identifier of an iPhone: 16 bytes.
    var deviceIdentifier: Data { bytes(for: "device") }

    /// What goes into the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(for: "opaque value") }

    private func bytes(for purpose: String) -> Data {
        Data(SHA256.hash(data: Data("\(value) \(purpose)".utf8)).prefix(16))
    }
}
