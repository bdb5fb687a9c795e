internal import Foundation
internal import ProductCatalog

/// Transaction as encoded by RMStore's `RMStoreTransaction`.
struct RMStoreTransaction {
    /// `true` if the app has consumed the transaction.
    let isConsumed: Bool
    let identifier: String?
    let date: Date?

    /// - Throws: ``UnusableValue``.
    init(archive: Data, of productIdentifier: String) throws(UnusableValue) {
        let root = try KeyedArchive(bytes: Array(archive)).root
        guard case .object(_, let fields) = root else {
            throw UnusableValue(expected: "an object", found: root.inWords)
        }
        let product = try Self.string("productIdentifier", in: fields)
        guard product == nil || product == productIdentifier else {
            throw UnusableValue(reason: "is of another product, \((product ?? "").quoted)")
        }
        isConsumed = try Self.boolean("consumed", in: fields)
        identifier = try Self.string("transactionIdentifier", in: fields)
        date = try Self.date("transactionDate", in: fields)
    }

    private static func string(
        _ key: String, in fields: [String: ArchivedValue]
    ) throws(UnusableValue) -> String? {
        switch fields[key] ?? .null {
        case .null: return nil
        case .string(let string): return string.isEmpty ? nil : string
        case let other: throw UnusableValue(reason: "has \(other.inWords) as its \(key)")
        }
    }

    /// Returns a Boolean field. A missing field is `false`, as in a decoder of Objective-C.
    private static func boolean(_ key: String, in fields: [String: ArchivedValue]) throws(UnusableValue) -> Bool {
        switch fields[key] {
        case nil: return false
        case .boolean(let boolean)?: return boolean
        case let other?: throw UnusableValue(reason: "has \(other.inWords) as its \(key)")
        }
    }

    private static func date(_ key: String, in fields: [String: ArchivedValue]) throws(UnusableValue) -> Date? {
        switch fields[key] ?? .null {
        case .null: return nil
        case .date(let date): return date
        case let other: throw UnusableValue(reason: "has \(other.inWords) as its \(key)")
        }
    }
}
