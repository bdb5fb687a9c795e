internal import Foundation
internal import VitrineEntitlements

/// Values that a ledger stores beside its entries about the customer of an App Store account.
struct AccountValues: Sendable {
    /// Last answer of the store about the subscriptions.
    let check: SubscriptionCheck
    /// Record that this installation has read the purchases which the store knows into the ledger; `nil` if it has not.
    let known: KnownPurchases?
    /// Requests for approval: the date of the request by product.
    let approvals: [String: Date]

    /// Reads the values of a ledger. Values that cannot be decoded are ignored, because the store's next answers replace
    /// them.
    ///
    /// - Parameter home: Storage directory of the app.
    init(of ledger: any Ledger, in home: Home) async throws(LedgerError) {
        let stored: KnownPurchases? = try await Self.value(of: .knownPurchases, in: ledger)
        known = stored?.ifMade(in: home)
        check = (try await Self.value(of: .subscriptionCheck, in: ledger) ?? SubscriptionCheck())
            .withoutForeignClockLead(in: home, after: stored)
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
