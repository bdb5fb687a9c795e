internal import Entitlements

extension EntitlementSnapshot.Changes {
    /// Identifiers of all products related to the changes.
    var products: Set<String> { touched.union(newlyOwned).union(noLongerOwned) }

    /// Returns the events that report the changes.
    func events(in snapshot: ManagerState.Snapshot) -> [CatalogEvent] {
        let ownership = newlyOwned + noLongerOwned
        return (appPurchase.map { [.entitlements(.originalPurchaseKnown($0.original))] } ?? [])
            + (isLossChanged ? [.ledger(.lossChanged(snapshot.entitlements.loss))] : [])
            + (ownership.isEmpty ? [] : [.entitlements(.ownershipChanged(ownership))])
            + wallets.map { .entitlements(.walletChanged($0, balance: snapshot.entitlements.balance(of: $0))) }
    }
}
