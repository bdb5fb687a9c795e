internal import Entitlements
public import Foundation
public import ProductCatalog

/// Last response of the store to a request for products, with the requested identifiers, the date and the storefront.
public struct StoreSnapshot: Sendable, Equatable {
    /// Identifiers of the requested products.
    public let requested: [String]
    /// Requested products that the store knows.
    public let products: [StoreProduct]
    /// Date of the response; if it was completed with parts of earlier responses, the date of the oldest part.
    public let date: Date
    /// Country of the storefront as an ISO 3166-1 alpha-3 code; `nil` if it is not known.
    public let storefront: String?
    /// Preferred language of the customer when the store was queried, as a BCP 47 tag; `nil` if it is not known. The
    /// store's texts are in this language.
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

    /// Returns the response, completed with the data of an earlier response about those of the given products that were
    /// not requested this time, if both have the same known storefront and the same language.
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

/// Storage of the last store response in the ledger, for launches without a network. The response does not affect
/// ownership.
extension StoreSnapshot {
    private static let name = "store-answer"

    /// Returns the response that a ledger stores.
    ///
    /// - Returns: `nil` if no response is stored.
    /// - Throws: ``LedgerError``: `damaged` if the stored data is not a response, or any other code if the ledger
    ///   cannot be read.
    static func kept(in ledger: any Ledger) async throws(LedgerError) -> StoreSnapshot? {
        guard let data = try await ledger.kept(name) else { return nil }
        guard let document = try? JSONDecoder().decode(Document.self, from: data), let answer = document.answer else {
            throw LedgerError(code: .damaged, reason: "the store's last response cannot be read and is ignored")
        }
        return answer
    }

    /// Maximum age difference, in seconds, at which a stored response with equal contents is not replaced.
    private static let greatestDelay: TimeInterval = 3_600

    /// Returns `true` if a stored response has the same contents and is not much older, so that storing this one is
    /// unnecessary.
    func isCovered(by kept: StoreSnapshot) -> Bool {
        requested == kept.requested && products == kept.products && storefront == kept.storefront
            && language == kept.language
            && (0..<Self.greatestDelay).contains(date.timeIntervalSince(kept.date))
    }

    /// Stores the response in a ledger, in place of an earlier one.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be written.
    func keep(in ledger: any Ledger) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(Document(self))
        } catch {
            throw LedgerError(code: .unavailable, reason: "the store's response cannot be written: \(error)")
        }
        try await ledger.keep(data, as: Self.name)
    }
}

/// Stored form of a store response.
private struct Document: Codable {
    private static let version = 1

    let version: Int
    /// Date in milliseconds since 1970.
    let date: Int64
    let storefront: String?
    /// Language of the store's texts; responses that earlier versions of Vitrine have stored do not contain it.
    let language: String?
    let asked: [String]
    /// Products, each as an array of strings, which is read much faster than keyed fields: identifier, kind, name,
    /// description, price in decimal digits (a binary fraction would be another price), currency, formatted price.
    let products: [[String]]

    init(_ answer: StoreSnapshot) {
        version = Self.version
        date = answer.date.milliseconds
        storefront = answer.storefront
        language = answer.language
        asked = answer.requested
        products = answer.products.map(\.row)
    }

    /// Response that the document contains.
    ///
    /// - Returns: `nil` for a document of another version, or one with a product that cannot be read.
    var answer: StoreSnapshot? {
        let products = products.compactMap(StoreProduct.init(row:))
        guard version == Self.version, products.count == self.products.count else { return nil }
        return StoreSnapshot(
            requested: asked, products: products, date: Date(milliseconds: date),
            storefront: storefront, language: language)
    }
}

extension StoreProduct {
    fileprivate var row: [String] {
        [identifier, kind.rawValue, displayName, description, price.description, currencyCode, displayPrice]
    }

    /// Creates a product from its stored row.
    ///
    /// - Returns: `nil` for a row in another form, or with a price that is not a number.
    fileprivate init?(row: [String]) {
        guard row.count == 7, let kind = ProductKind(rawValue: row[1]),
            let price = Decimal(string: row[4], locale: Locale(identifier: "en_US_POSIX")), price.description == row[4]
        else { return nil }
        self.init(
            identifier: row[0], kind: kind, displayName: row[2], description: row[3], price: price,
            currencyCode: row[5], displayPrice: row[6])
    }
}
