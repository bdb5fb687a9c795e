internal import Foundation
internal import VitrineCatalog

/// Reading of StoreHelper's records. The preferences contain a list of owned products, for times when the store does
/// not answer; it contains consumables too. The keychain contains the number of unconsumed purchases of each
/// consumable.
extension LegacyReader {
    private static let fallbackKey = "PurchasedProductsFallback"

    func readStoreHelper(into findings: inout LegacyFindings) {
        readOwnedIdentifiers(under: Self.fallbackKey, holdsConsumables: true, into: &findings)
        guard let keychain else { return }
        for product in catalog.products where product.kind == .consumable {
            let source = "\(product.identifier.quoted) in the keychain"
            do {
                guard let item = try keychain.storeHelperCount(of: product.identifier) else { continue }
                findings.addPurchases(try count(in: item), of: product, source: source)
            } catch {
                findings.addUnreadable(error, source: source)
            }
        }
    }

    /// Reads the number of purchases in a keychain item, which StoreHelper writes in decimal digits.
    private func count(in item: Data) throws(UnusableValue) -> Int {
        guard item.count <= Self.mostDigits, let number = Int(String(decoding: item, as: UTF8.self)) else {
            throw UnusableValue(reason: "is not an integer")
        }
        return try ForeignNumber.integer(number).count()
    }

    /// Maximum number of characters of a 64-bit integer with its sign.
    private static let mostDigits = 20
}
