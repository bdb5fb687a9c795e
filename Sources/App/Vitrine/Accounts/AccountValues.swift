internal import Foundation
internal import VitrineEntitlements

/// Values that a ledger stores beside its entries about the customer of an App Store account.
struct AccountValues: Sendable {
    /// Last answer of the store about the subscriptions.
    let check: SubscriptionCheck
    /// Record that the purchases which the store knows were read into the ledger; `nil` if they were not.
    let known: KnownPurchases?
    /// Requests for approval: the date of the request by product.
    let approvals: [String: Date]

    /// Reads the values of a ledger. Values that cannot be decoded are ignored, because the store's next answers replace
    /// them.
    init(of ledger: any Ledger) async throws(LedgerError) {
        check = try await Self.value(of: .subscriptionCheck, in: ledger) ?? SubscriptionCheck()
        known = try await Self.value(of: .knownPurchases, in: ledger)
        approvals = try await Self.value(of: .approvals, in: ledger) ?? [:]
    }

    private static func value<Value>(
        of stored: StoredJSON<Value>, in ledger: any Ledger
    ) async throws(LedgerError) -> Value? {
        do throws(LedgerError) {
            return try await stored.value(in: ledger)
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }
}
