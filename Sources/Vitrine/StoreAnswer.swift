internal import Foundation
internal import ProductCatalog

/// What the store said last: what it was asked, when, and in which storefront.
struct StoreAnswer: Sendable, Equatable {
    let asked: [String]
    let products: [String: StoreProduct]
    /// When it said all of this.
    let date: Date
    /// The storefront's country as ISO 3166-1 alpha-3 names it; `nil` where it is not known.
    let storefront: String?

    init(asked: [String], products: [StoreProduct], date: Date, storefront: String?) {
        self.asked = asked
        self.products = Dictionary(products.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        self.date = date
        self.storefront = storefront
    }

    /// With what an earlier answer says about others of these products, if it is known to be of the same storefront.
    func completed(by earlier: StoreAnswer?, for identifiers: [String]) -> StoreAnswer {
        guard let earlier, let storefront, earlier.storefront == storefront else { return self }
        let (answered, known) = (Set(asked), Set(earlier.asked))
        let others = identifiers.filter { !answered.contains($0) && known.contains($0) }
        guard !others.isEmpty else { return self }
        let all = answered.union(others)
        return StoreAnswer(
            asked: identifiers.filter(all.contains),
            products: Array(products.values) + others.compactMap { earlier.products[$0] },
            date: min(date, earlier.date), storefront: storefront)
    }
}
