internal import Entitlements
internal import Foundation

/// What a ledger stores beside its entries about the exchange with other devices.
struct ExchangeState: Codable, Sendable, Hashable {
    /// Identifier of this device; `nil` before the first exchange, and after the customer has signed out.
    var device: String?
    /// Name of this device, for people.
    var name = ""
    /// Name in the last document of this device; `nil` if it has published none under its identifier.
    var publishedName: String?
    /// Earlier identifiers of this device.
    var formerDevices: [String] = []
    /// Digest of the key of the customer to whom the ledger belongs; `nil` without a key.
    var customer: String?
    /// `true` after the first exchange, from which on ``customer`` applies.
    var hasCustomer = false
    /// Last sequence number that a document of this device covers.
    var published: Int64 = 0
    /// Last sequence number of the ledger when the last exchange ended.
    var scanned: Int64 = 0
    /// Document that is being stored at the place.
    var publishing: Publishing?
    /// Digests of the documents of this device, and of those that were read.
    var read: Set<String> = []
    /// Names of documents that are never read. Another document may have the same digest in its name.
    var refused: Set<String> = []
    /// Names of documents that could not be read completely, which are tried after all others.
    var unreadable: Set<String> = []
    /// Other devices by their identifiers.
    var devices: [String: Device] = [:]
    /// Devices that this device has removed, and that its next document names.
    var removing: [String] = []
    /// Identifier of the device that has removed this one; `nil` if none has.
    var removedBy: String?

    struct Publishing: Codable, Sendable, Hashable {
        let name: String
        let last: Int64
    }

    struct Device: Codable, Sendable, Hashable {
        var name = ""
        /// Latest moment in its documents, in milliseconds since 1970; 0 if there is none.
        var latestMoment: Int64 = 0
        /// Ranges of sequence numbers that its documents cover, in order.
        var ranges: [ClosedRange<Int64>] = []
        /// Versions of the content that was installed on the device, by product.
        var content: [String: String] = [:]
        var isRemoved = false
        var hasLeft = false
        /// `true` if two documents of the device cover the same numbers: two copies of it exist.
        var isRepeated = false

        /// Adds a range of sequence numbers.
        mutating func add(_ range: ClosedRange<Int64>) {
            if ranges.contains(where: { $0.overlaps(range) }) { isRepeated = true }
            var merged = range
            ranges.removeAll { other in
                guard other.overlaps(merged) || other.upperBound + 1 == merged.lowerBound
                    || merged.upperBound + 1 == other.lowerBound
                else { return false }
                merged = min(other.lowerBound, merged.lowerBound)...max(other.upperBound, merged.upperBound)
                return true
            }
            ranges.append(merged)
            ranges.sort { $0.lowerBound < $1.lowerBound }
        }
    }

    static let stored = StoredJSON<ExchangeState>(name: "exchange", words: "the details of the exchange with devices")
}
