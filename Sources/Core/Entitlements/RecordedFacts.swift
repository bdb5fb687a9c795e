package import Foundation

/// Read access to the recorded facts, for the validation of new facts.
package protocol RecordedFacts {
    func balance(of wallet: String) throws -> Int

    /// Returns the entry of the recorded fact with a kind and key; `nil` if none is recorded.
    func entry(of kind: Fact.Kind, key: String) throws -> LedgerEntry?

    /// Returns the latest revocation of a purchase by another device's record, if it has a later date than this
    /// ledger's revocation; `nil` if there is none.
    func counterpart(ofRevocation purchaseID: String) throws -> Fact.Counterpart?

    /// Returns all entries that belong to a wallet.
    func entries(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the entries of all leases of units of a wallet.
    func leases(ofWallet wallet: String) throws -> [LedgerEntry]

    /// Returns the last revocation or reinstatement of a purchase; `nil` if none is recorded.
    func revocationState(of purchaseID: String) throws -> Fact?

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
