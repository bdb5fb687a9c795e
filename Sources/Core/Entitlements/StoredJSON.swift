internal import Foundation
internal import VitrineSupport

/// Value that a ledger stores as JSON beside its entries. A newer value replaces it.
package struct StoredJSON<Value: Codable & Sendable>: Sendable {
    package let name: String
    /// Noun phrase for the value in error messages, in the plural.
    package let words: String

    package init(name: String, words: String) {
        (self.name, self.words) = (name, words)
    }

    /// Returns the stored value; `nil` if none is stored.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read, or `damaged` if the stored value is not of this type.
    package func value(in ledger: any Ledger) async throws(LedgerError) -> Value? {
        guard let data = try await ledger.kept(name) else { return nil }
        do {
            return try JSONDecoder().decodeForeign(Value.self, from: data)
        } catch {
            throw LedgerError(code: .damaged, reason: "\(words) cannot be read and are ignored")
        }
    }

    /// Stores a value, replacing the earlier value.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be written.
    package func store(_ value: Value, in ledger: any Ledger) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(value)
        } catch {
            preconditionFailure("\(words) cannot be encoded as JSON: \(error)")
        }
        try await ledger.keep(data, as: name)
    }
}

extension StoredJSON<SubscriptionCheck> {
    package static let subscriptionCheck = StoredJSON(
        name: "subscription-check", words: "the details of the store's last answer about subscriptions")
}
