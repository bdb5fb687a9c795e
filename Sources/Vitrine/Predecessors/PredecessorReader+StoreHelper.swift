internal import Foundation
internal import ProductCatalog

/// StoreHelper keeps a list of what is owned in the preferences, for when the store does not answer, and in the keychain
/// how often a consumable was bought and not used up. The list has consumables too.
extension PredecessorReader {
    private static let fallbackKey = "PurchasedProductsFallback"

    func readStoreHelper(into findings: inout PredecessorFindings) {
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

    /// A whole number in decimal digits.
    private func count(in item: Data) throws(UnusableValue) -> Int {
        guard item.count <= Self.mostDigits, let number = Int(String(decoding: item, as: UTF8.self)) else {
            throw UnusableValue(reason: "is no whole number")
        }
        return try ForeignNumber.integer(number).count()
    }

    /// Of a number of 64 bits, with its sign.
    private static let mostDigits = 20
}
