package import Foundation
internal import VitrineSupport

/// Value that a ledger stores as JSON beside its entries. A newer value replaces it.
package struct StoredJSON<Value: Codable & Sendable>: Sendable {
    package let name: String
    /// Noun phrase for the value in error messages, in the plural.
    package let description: String

    package init(name: String, description: String) {
        (self.name, self.description) = (name, description)
    }

    /// Returns the stored value; `nil` if none is stored.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read, or `damaged` if the stored value is not of this type.
    package func value(in ledger: any Ledger) async throws(LedgerError) -> Value? {
        guard let data = try await ledger.value(for: name) else { return nil }
        do {
            return try JSONDecoder().decodeForeign(Value.self, from: data)
        } catch {
            throw LedgerError(code: .damaged, reason: "\(description) cannot be read and are ignored")
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
            preconditionFailure("\(description) cannot be encoded as JSON: \(error)")
        }
        try await ledger.setValue(data, for: name)
    }
}

extension StoredJSON<SubscriptionCheck> {
    package static let subscriptionCheck = StoredJSON(
        name: "subscription-check", description: "the details of the store's last answer about subscriptions")
}

/// Record beside the ledger's entries that all purchases which the store knows were read into the ledger.
package struct KnownPurchases: Codable, Sendable {
    /// Products whose purchases could not be recorded, because the catalog did not contain them or declared them
    /// otherwise, or because this version of Vitrine does not know their types; with their types as the store has signed
    /// them.
    package var missingProducts: [String: String]
    /// Identifier of the installation that has read the purchases.
    package var installation: UUID?

    package init(missingProducts: [String: String] = [:]) { self.missingProducts = missingProducts }
}

extension StoredJSON<KnownPurchases> {
    package static let knownPurchases = StoredJSON(
        name: "known-purchases", description: "the details of the purchases that were read from the store")
}
