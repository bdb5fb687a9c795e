public import Foundation
public import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

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

    /// Returns the response, completed with data of an earlier response about products that this response does not
    /// include. Both responses must have the same known storefront and the same language; otherwise no data is added.
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
    static func stored(in ledger: any Ledger) async throws(LedgerError) -> StoreSnapshot? {
        guard let data = try await ledger.value(for: name) else { return nil }
        guard let document = try? JSONDecoder().decodeForeign(StoredResponse.self, from: data),
            let answer = document.answer
        else {
            throw LedgerError(code: .damaged, reason: "the store's last response cannot be read and is ignored")
        }
        return answer
    }

    /// Maximum age in seconds of a stored response that is not replaced by a newer response with equal contents.
    private static let greatestDelay: TimeInterval = 3_600

    /// Returns `true` if a stored response has the same contents and is not much older, so that storing this one is
    /// unnecessary.
    func isCovered(by stored: StoreSnapshot) -> Bool {
        requested == stored.requested && products == stored.products && storefront == stored.storefront
            && language == stored.language
            && (0..<Self.greatestDelay).contains(date.timeIntervalSince(stored.date))
    }

    /// Stores the response in a ledger, in place of an earlier one.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be written.
    func store(in ledger: any Ledger) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(StoredResponse(self))
        } catch {
            throw LedgerError(code: .unavailable, reason: "the store's response cannot be written: \(error)")
        }
        try await ledger.setValue(data, for: Self.name)
    }
}
