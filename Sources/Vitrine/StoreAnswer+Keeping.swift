internal import Entitlements
internal import Foundation
internal import ProductCatalog

/// The last answer of the store is kept in the ledger for starts without a network. It says nothing about ownership.
extension StoreAnswer {
    private static let name = "store-answer"

    /// - Returns: `nil` where none is kept.
    /// - Throws: ``LedgerError``: `damaged` for something else than an answer, or where the ledger cannot be read.
    static func kept(in ledger: any Ledger) async throws(LedgerError) -> StoreAnswer? {
        guard let data = try await ledger.kept(name) else { return nil }
        guard let document = try? JSONDecoder().decode(Document.self, from: data), let answer = document.answer else {
            throw LedgerError(code: .damaged, reason: "the store's last answer cannot be read, and counts as none")
        }
        return answer
    }

    /// What is kept may be older by this, in seconds, where it says the same.
    private static let greatestDelay: TimeInterval = 3_600

    /// There is no need to keep it where this is kept: it says the same, and is not much older.
    func isCovered(by kept: StoreAnswer) -> Bool {
        asked == kept.asked && products == kept.products && storefront == kept.storefront && language == kept.language
            && (0..<Self.greatestDelay).contains(date.timeIntervalSince(kept.date))
    }

    /// - Throws: ``LedgerError`` where the ledger cannot be written.
    func keep(in ledger: any Ledger) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(Document(self))
        } catch {
            throw LedgerError(code: .unavailable, reason: "the store's answer cannot be written: \(error)")
        }
        try await ledger.keep(data, as: Self.name)
    }
}

/// An answer as it is kept.
private struct Document: Codable {
    private static let version = 1

    let version: Int
    /// In milliseconds since 1970.
    let date: Int64
    let storefront: String?
    /// What earlier versions have kept does not say it.
    let language: String?
    let asked: [String]
    /// Each as a row of texts, which is read much faster than keys are: identifier, kind, name, description, price in
    /// decimals (a binary fraction would be another price), currency, price as written.
    let products: [[String]]

    init(_ answer: StoreAnswer) {
        version = Self.version
        date = answer.date.milliseconds
        storefront = answer.storefront
        language = answer.language
        asked = answer.asked
        products = answer.products.map(\.row)
    }

    /// - Returns: `nil` for a document of another version, or one that is not as it was written.
    var answer: StoreAnswer? {
        let products = products.compactMap(StoreProduct.init(row:))
        guard version == Self.version, products.count == self.products.count else { return nil }
        return StoreAnswer(
            asked: asked, products: products, date: Date(milliseconds: date),
            storefront: storefront, language: language)
    }
}

extension StoreProduct {
    fileprivate var row: [String] {
        [identifier, kind.rawValue, displayName, description, price.description, currencyCode, displayPrice]
    }

    /// - Returns: `nil` for a row of something else, or one with a price that is no number.
    fileprivate init?(row: [String]) {
        guard row.count == 7, let kind = ProductKind(rawValue: row[1]),
            let price = Decimal(string: row[4], locale: Locale(identifier: "en_US_POSIX")), price.description == row[4]
        else { return nil }
        self.init(
            identifier: row[0], kind: kind, displayName: row[2], description: row[3], price: price,
            currencyCode: row[5], displayPrice: row[6])
    }
}
