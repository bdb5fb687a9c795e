internal import Entitlements
internal import FileSystem
internal import Foundation

/// Value that a ledger stores as JSON beside its entries. A newer value replaces it.
struct StoredJSON<Value: Codable & Sendable>: Sendable {
    let name: String
    /// Noun phrase in the plural that names the value in an error.
    let words: String

    /// Returns the stored value; `nil` if none is stored.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read, or `damaged` if the stored value is not of this type.
    func value(in ledger: any Ledger) async throws(LedgerError) -> Value? {
        guard let data = try await ledger.kept(name) else { return nil }
        do {
            return try JSONDecoder().decodeForeign(Value.self, from: data)
        } catch {
            throw LedgerError(code: .damaged, reason: "\(words) cannot be read and are ignored")
        }
    }

    /// Stores a value in place of the earlier one.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be written.
    func store(_ value: Value, in ledger: any Ledger) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(value)
        } catch {
            preconditionFailure("\(words) cannot be encoded as JSON: \(error)")
        }
        try await ledger.keep(data, as: name)
    }
}

extension StoredJSON {
    /// Stores each element of a stream in a ledger, in place of the one before, until the stream ends. Failures are
    /// reported by events of a state, which is not retained.
    func follow(_ stream: AsyncStream<Value>, in ledger: any Ledger, reportingTo state: ManagerState) -> Task<
        Void, Never
    > {
        Task { [weak state] in
            for await value in stream {
                do throws(LedgerError) {
                    try await store(value, in: ledger)
                } catch {
                    state?.send(.loading(.productsNotStored(error)))
                }
            }
        }
    }
}

extension StoredJSON<SubscriptionCheck> {
    static let subscriptionCheck = StoredJSON(
        name: "subscription-check", words: "the details of the store's last answer about subscriptions")
}
