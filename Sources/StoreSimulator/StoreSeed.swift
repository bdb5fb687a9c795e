internal import Foundation

/// What everything follows from that a store makes up, but for its keys: from the same seed, the same.
struct StoreSeed: Sendable {
    let value: UInt64

    /// The number of the first transaction: a million numbers for each seed, with fifteen digits at most, as many as an
    /// App Store's have.
    var firstTransactionID: Int64 { Int64(value % 1_000_000_000) * 1_000_000 + 1 }

    /// What stands for the vendor identifier of an iPhone: 16 bytes.
    var deviceIdentifier: Data { bytes(16, purpose: 1) }

    /// What goes into the device hash of every receipt: 16 bytes.
    var opaqueValue: Data { bytes(16, purpose: 2) }

    private func bytes(_ count: Int, purpose: UInt64) -> Data {
        var generator = SeededGenerator(seed: value)
        for _ in 0..<purpose { generator = SeededGenerator(seed: generator.next()) }
        return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }
}
