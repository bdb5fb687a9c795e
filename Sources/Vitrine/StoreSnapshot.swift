internal import Foundation
internal import ProductCatalog

/// Last response of the store: requested products, response, date and storefront.
struct StoreAnswer: Sendable, Equatable {
    let asked: [String]
    /// Requested products that the store knows.
    let products: [StoreProduct]
    /// Date from which all of the response is current.
    let date: Date
    /// Country of the storefront as an ISO 3166-1 alpha-3 code; `nil` if it is not known.
    let storefront: String?
    /// Preferred language of the customer at that time, used for the store's texts, as a BCP 47 tag; `nil` if it is not
    /// known.
    let language: String?

    /// Returns the response without the data of some products.
    func without(_ identifiers: Set<String>) -> StoreAnswer {
        StoreAnswer(
            asked: asked.filter { !identifiers.contains($0) },
            products: products.filter { !identifiers.contains($0.identifier) },
            date: date, storefront: storefront, language: language)
    }

    /// Returns the response with the data that an earlier response has for others of these products, if both have the
    /// same known storefront and the same language.
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
