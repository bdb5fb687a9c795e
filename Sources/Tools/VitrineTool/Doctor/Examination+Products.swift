import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport

/// Products of a catalog that can never be sold, although the catalog has no error.
extension Examination {
    /// Largest number of products that a result names.
    private static let mostNames = 10

    /// Asks the store about the products of a catalog.
    mutating func lookAtProducts(_ catalog: Catalog, in store: SimulatedStore, path: String) async {
        let subject = "the products"
        let answer: [StoreProduct]
        do throws(StoreError) {
            answer = try await store.products(for: catalog.products.map(\.identifier))
        } catch {
            return add(subject, .unknown, error.reason)
        }
        let kinds = Dictionary(answer.map { ($0.identifier, $0.kind) }) { first, _ in first }
        let obstacles = catalog.products.compactMap { product -> String? in
            guard let kind = kinds[product.identifier] else { return "\(product.identifier) is unknown to the store" }
            guard product.kind != .unknown, product.kind != kind else { return nil }
            return "\(product.identifier) is \(kind.rawValue) in the store and \(product.kind.rawValue) in the catalog"
        }
        guard !obstacles.isEmpty else { return add(subject, .good, "\(answer.count.with("product")) in the store") }
        add(
            subject, .wrong, "never sold: \(Self.list(obstacles, separator: "; "))",
            try: "vitrine lint --storekit FILE.storekit \(path.inShell)")
    }

    /// Returns the first of several names.
    static func list(_ names: [String], separator: String = ", ") -> String {
        let others = names.count - mostNames
        return names.prefix(mostNames).joined(separator: separator) + (others > 0 ? " and \(others) more" : "")
    }
}

extension CatalogProduct {
    /// `true` for a non-renewing subscription of which the catalog does not say how long it lasts.
    var isWithoutDuration: Bool { kind == .nonRenewingSubscription && subscriptionDuration == nil }
}
