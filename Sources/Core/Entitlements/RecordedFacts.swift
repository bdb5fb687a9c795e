package import Foundation
internal import VitrineSupport

/// Read access to the recorded facts, for the validation of new facts.
package protocol RecordedFacts {
    func balance(of wallet: String) throws -> Int

    /// Returns the entry of the recorded fact with a kind and key; `nil` if none is recorded.
    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry?

    /// Returns the entries after a sequence number, in order.
    func entries(after sequence: Int64) throws -> [LedgerEntry]

    /// Returns all entries that belong to a wallet.
    func entries(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the entries of all leases of units of a wallet.
    func leases(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the state that follows from the revocations and reinstatements of a purchase; `nil` if none is recorded.
    func revocationState(of purchaseID: String) throws -> RevocationState?

    /// Returns the last recorded change of a subscription period (extension or upgrade); `nil` if none is
    /// recorded.
    func term(of purchaseID: String) throws -> Fact.Term?

    /// Returns the last recorded renewal data of a subscription; `nil` if none is recorded.
    ///
    /// - Parameter subscription: The subscription's first transaction.
    func renewal(of subscription: String) throws -> Fact.Renewal?

    /// Returns the latest signing date of store data about a purchase that was not recorded, because it agreed with the
    /// recorded facts; `nil` if there is no such data.
    func latestStatement(of purchaseID: String) throws -> Date?
}

/// State that follows from the revocations and reinstatements of a purchase.
package struct RevocationState: Sendable {
    /// Last recorded revocation or reinstatement.
    package let last: Fact
    /// Units that the revocations have removed from the wallet of the purchase and that were not returned; `nil` if
    /// there are none.
    package let debited: WalletAmount?

    /// Creates the state after a revocation or reinstatement.
    ///
    /// - Parameter earlier: State before the fact; `nil` for the first revocation of the purchase.
    package init(_ fact: Fact, after earlier: RevocationState?) {
        last = fact
        let amount = (earlier?.debited?.amount ?? 0).subtractingSaturated(fact.walletChange?.amount ?? 0)
        debited = (fact.walletChange?.wallet ?? earlier?.debited?.wallet).flatMap { wallet in
            amount == 0 ? nil : WalletAmount(wallet: wallet, amount: amount)
        }
    }

    /// Revocation of the purchase; `nil` if it was reversed.
    package var revocation: Fact.Revocation? { if case .revocation(let revocation) = last { revocation } else { nil } }
}
