internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineSupport

/// Reading of RMStore's records. Depending on the app, the preferences contain a dictionary with an array of separately
/// archived transactions for each product, or the keychain contains the number of purchases of each product.
extension LegacyReader {
    private static let transactionsKey = "RMStoreTransactions"
    private static let largestKeychainItem = 1024 * 1024

    func readRMStore(into findings: inout LegacyFindings) {
        readTransactions(into: &findings)
        readKeychainCounts(into: &findings)
    }

    // MARK: Preferences

    private func readTransactions(into findings: inout LegacyFindings) {
        guard let value = preferences.value(forKey: Self.transactionsKey) else { return }
        let source = "\(Self.transactionsKey) in the preferences"
        guard case .dictionary(let products) = value else {
            return findings.addUnreadable(
                UnusableValue(expected: "a dictionary", found: value.typeName).reason, source: source)
        }
        for (identifier, transactions) in products.sorted(by: { $0.key < $1.key }) {
            let productSource = "\(identifier.quoted) of \(source)"
            guard case .array(let archives) = transactions else {
                findings.addUnreadable(
                    UnusableValue(expected: "an array", found: transactions.typeName).reason, source: productSource)
                continue
            }
            let unused = unusedTransactions(archives, of: identifier, source: productSource, into: &findings)
            add(unused, of: identifier, source: productSource, into: &findings)
        }
    }

    /// Returns the transactions of a product that the app has not consumed.
    private func unusedTransactions(
        _ archives: [PreferenceValue], of identifier: String, source: String, into findings: inout LegacyFindings
    ) -> [RMStoreTransaction] {
        var unused: [RMStoreTransaction] = []
        for (index, archive) in archives.enumerated() {
            do throws(UnusableValue) {
                guard case .data(let data) = archive else {
                    throw UnusableValue(expected: "data", found: archive.typeName)
                }
                let transaction = try RMStoreTransaction(archive: data, of: identifier)
                if !transaction.isConsumed { unused.append(transaction) }
            } catch {
                findings.addUnreadable("transaction \(index + 1) \(error.reason)", source: source)
            }
        }
        return unused
    }

    private func add(
        _ transactions: [RMStoreTransaction], of identifier: String, source: String,
        into findings: inout LegacyFindings
    ) {
        if let product = catalog[identifier], product.kind == .consumable {
            let identified = Set(transactions.compactMap(\.identifier))
            let count = identified.count + transactions.count { $0.identifier == nil }
            return findings.addPurchases(count, of: product, source: source)
        }
        for transaction in transactions {
            findings.addOwned(
                LegacyState.OwnedProduct(
                    identifier: identifier, transactionID: transaction.identifier, purchaseDate: transaction.date,
                    source: source))
        }
    }

    // MARK: Keychain

    private func readKeychainCounts(into findings: inout LegacyFindings) {
        let source = "\(Self.transactionsKey) in the keychain"
        do {
            guard let keychain, let item = try keychain.rmStoreTransactions() else { return }
            for (identifier, number) in try counts(in: item).sorted(by: { $0.key < $1.key }) {
                let productSource = "\(identifier.quoted) of \(source)"
                do {
                    try add(number, of: identifier, source: productSource, into: &findings)
                } catch {
                    findings.addUnreadable(error, source: productSource)
                }
            }
        } catch {
            findings.addUnreadable(error, source: source)
        }
    }

    private func counts(in item: Data) throws(UnusableValue) -> [String: LenientNumber] {
        guard item.count <= Self.largestKeychainItem else {
            throw UnusableValue(reason: "has more than \(Self.largestKeychainItem) bytes")
        }
        do {
            return try JSONDecoder().decodeForeign([String: LenientNumber].self, from: item)
        } catch {
            throw UnusableValue(reason: "is not a JSON object")
        }
    }

    private func add(
        _ number: LenientNumber, of identifier: String, source: String, into findings: inout LegacyFindings
    ) throws(UnusableValue) {
        guard let count = try number.value?.count() else { throw UnusableValue(reason: "must be a number") }
        guard count > 0 else { return }
        if let product = catalog[identifier], product.kind == .consumable {
            findings.addPurchases(count, of: product, source: source)
        } else {
            findings.addOwned(LegacyState.OwnedProduct(identifier: identifier, source: source))
        }
    }
}

/// Number in a JSON document; `nil` for a value of another type, which does not prevent the rest from being decoded.
private struct LenientNumber: Decodable {
    let value: ForeignNumber?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let integer = try? container.decode(Int.self) {
            value = .integer(integer)
        } else {
            value = (try? container.decode(Double.self)).map { .real($0) }
        }
    }
}

/// Transaction as encoded by RMStore's `RMStoreTransaction`.
struct RMStoreTransaction {
    /// `true` if the app has reported to RMStore that the customer used up the consumable of the transaction.
    let isConsumed: Bool
    let identifier: String?
    let date: Date?

    /// Reads a transaction from its archive.
    ///
    /// - Throws: ``UnusableValue`` if the archive does not contain a transaction of the product.
    init(archive: Data, of productIdentifier: String) throws(UnusableValue) {
        let root = try KeyedArchive(bytes: Array(archive)).root
        guard case .object(_, let fields) = root else {
            throw UnusableValue(expected: "an object", found: root.typeName)
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
        case let other: throw UnusableValue(reason: "has \(other.typeName) as its \(key)")
        }
    }

    /// Returns a Boolean field. A missing field is `false`, as in a decoder of Objective-C.
    private static func boolean(_ key: String, in fields: [String: ArchivedValue]) throws(UnusableValue) -> Bool {
        switch fields[key] {
        case nil: return false
        case .boolean(let boolean)?: return boolean
        case let other?: throw UnusableValue(reason: "has \(other.typeName) as its \(key)")
        }
    }

    private static func date(_ key: String, in fields: [String: ArchivedValue]) throws(UnusableValue) -> Date? {
        switch fields[key] ?? .null {
        case .null: return nil
        case .date(let date): return date
        case let other: throw UnusableValue(reason: "has \(other.typeName) as its \(key)")
        }
    }
}
