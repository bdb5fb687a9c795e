internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrinePropertyList

/// Reading of MKStoreKit's records: one dictionary in an archive in Documents. Under a product's identifier the
/// dictionary contains null, or the expiration date of a subscription; under the `ConsumableId` of MKStoreKit's
/// configuration, which is the catalog's wallet, the number of remaining units.
extension LegacyReader {
    private static let recordName = "purchaserecord.plist"
    /// Key of the app version that was originally purchased.
    private static let originalVersionKey = "SKOrigBundleRef"

    func readMKStoreKit(into findings: inout LegacyFindings) {
        let source = "\(Self.recordName) in Documents"
        do throws(UnusableValue) {
            guard let record = try purchaseRecord() else { return }
            guard case .dictionary(let entries) = record else {
                throw UnusableValue(expected: "a dictionary", found: record.typeName)
            }
            let wallets = Set(findings.wallets)
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) where key != Self.originalVersionKey {
                let entrySource = "\(key.quoted) in \(source)"
                do {
                    try read(value, of: key, isWallet: wallets.contains(key), source: entrySource, into: &findings)
                } catch {
                    findings.addUnreadable(error, source: entrySource)
                }
            }
        } catch {
            findings.addUnreadable(error, source: source)
        }
    }

    private func purchaseRecord() throws(UnusableValue) -> ArchivedValue? {
        let file = documents.appending(path: Self.recordName, directoryHint: .notDirectory)
        var limits = PropertyListLimits()
        limits.size = KeyedArchive.Limits().size
        return try LegacyFile.propertyList(at: file, limits: limits).map { (document) throws(UnusableValue) in
            try KeyedArchive(document: document).root
        }
    }

    private func read(
        _ value: ArchivedValue, of key: String, isWallet: Bool, source: String, into findings: inout LegacyFindings
    ) throws(UnusableValue) {
        let product = catalog[key]
        if isWallet, product == nil || product?.kind == .consumable {
            return findings.addUnits(try units(value), to: key, source: source)
        }
        if let product, product.kind == .consumable {
            guard let wallet = product.storageKey else {
                throw UnusableValue(reason: "is a consumable, but the catalog names no wallet for it")
            }
            return findings.addUnits(try units(value), to: wallet, source: source)
        }
        guard value != .null else {
            return findings.addOwned(LegacyState.OwnedProduct(identifier: key, source: source))
        }
        guard product != nil, !isWallet else {
            let reason = isWallet ? "both a wallet and a product" : "neither a wallet nor a product"
            throw UnusableValue(reason: "is \(reason) of the catalog, so that its number may be units or a date")
        }
        findings.addOwned(
            LegacyState.OwnedProduct(identifier: key, expirationDate: try date(value), source: source))
    }

    /// Returns a number of units, not of purchases: each purchase has added the `ConsumableCount` of MKStoreKit's
    /// configuration.
    private func units(_ value: ArchivedValue) throws(UnusableValue) -> Int {
        guard case .number(let number) = value else {
            throw UnusableValue(expected: "a number", found: value.typeName)
        }
        return try number.count()
    }

    /// Reads a date in milliseconds since 1970, as a number or as a string of digits. MKStoreKit stores the string from
    /// Apple's response.
    private func date(_ value: ArchivedValue) throws(UnusableValue) -> Date {
        let milliseconds: Int
        switch value {
        case .number(let number): milliseconds = try number.count()
        case .string(let text):
            guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(text)
            else { throw UnusableValue(reason: "contains \(text.quoted) where milliseconds are required") }
            milliseconds = number
        default: throw UnusableValue(expected: "null or a number", found: value.typeName)
        }
        guard milliseconds < Self.year10000 else {
            throw UnusableValue(reason: "\(milliseconds) milliseconds are after the year 9999")
        }
        return Date(milliseconds: Int64(milliseconds))
    }

    /// Start of the year 10000, in milliseconds since 1970.
    private static let year10000 = 253_402_300_800_000
}
