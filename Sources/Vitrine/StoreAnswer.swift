internal import Foundation
internal import ProductCatalog

/// What the store said last: what it was asked, when, and in which storefront.
struct StoreAnswer: Sendable, Equatable {
    let asked: [String]
    /// What it knows of them.
    let products: [StoreProduct]
    /// When it said all of this.
    let date: Date
    /// The storefront's country as ISO 3166-1 alpha-3 names it; `nil` where it is not known.
    let storefront: String?
    /// The customer's best language then, which the store's texts are in, as a BCP 47 tag; `nil` where it is not known.
    let language: String?

    /// The same, but for what it says about some products.
    func without(_ identifiers: Set<String>) -> StoreAnswer {
        StoreAnswer(
            asked: asked.filter { !identifiers.contains($0) },
            products: products.filter { !identifiers.contains($0.identifier) },
            date: date, storefront: storefront, language: language)
    }

    /// With what an earlier answer says about others of these products, if it is known to be of the same storefront.
    func completed(by earlier: StoreAnswer?, for identifiers: [String]) -> StoreAnswer {
        guard let earlier, let storefront, earlier.storefront == storefront, earlier.language == language else {
            return self
        }
        let (answered, known) = (Set(asked), Set(earlier.asked))
        let others = identifiers.filter { !answered.contains($0) && known.contains($0) }
        guard !others.isEmpty else { return self }
        let all = answered.union(others)
        let otherOnes = Set(others)
        return StoreAnswer(
            asked: identifiers.filter(all.contains),
            products: products + earlier.products.filter { otherOnes.contains($0.identifier) },
            date: min(date, earlier.date), storefront: storefront, language: language)
    }
}
