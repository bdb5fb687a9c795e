public import Foundation
public import ProductCatalog

/// Last response of the store: requested products, response, date and storefront.
public struct StoreSnapshot: Sendable, Equatable {
    /// Identifiers of the requested products.
    public let requested: [String]
    /// Requested products that the store knows.
    public let products: [StoreProduct]
    /// Date from which all of the response is current.
    public let date: Date
    /// Country of the storefront as an ISO 3166-1 alpha-3 code; `nil` if it is not known.
    public let storefront: String?
    /// Preferred language of the customer at that time, used for the store's texts, as a BCP 47 tag; `nil` if it is not
    /// known.
    public let language: String?

    public init(
        requested: [String], products: [StoreProduct], date: Date, storefront: String? = nil, language: String? = nil
    ) {
        self.requested = requested
        self.products = products
        self.date = date
        self.storefront = storefront
        self.language = language
    }

    /// Returns the response without the data of some products.
    func without(_ identifiers: Set<String>) -> StoreSnapshot {
        StoreSnapshot(
            requested: requested.filter { !identifiers.contains($0) },
            products: products.filter { !identifiers.contains($0.identifier) },
            date: date, storefront: storefront, language: language)
    }

    /// Returns the response with the data that an earlier response has for others of these products, if both have the
    /// same known storefront and the same language.
    func completed(by earlier: StoreSnapshot?, for identifiers: [String]) -> StoreSnapshot {
        guard let earlier, let storefront, earlier.storefront == storefront, earlier.language == language else {
            return self
        }
        let (answered, known) = (Set(requested), Set(earlier.requested))
        let others = identifiers.filter { !answered.contains($0) && known.contains($0) }
        guard !others.isEmpty else { return self }
        let all = answered.union(others)
        let otherOnes = Set(others)
        return StoreSnapshot(
            requested: identifiers.filter(all.contains),
            products: products + earlier.products.filter { otherOnes.contains($0.identifier) },
            date: min(date, earlier.date), storefront: storefront, language: language)
    }
}
