internal import Entitlements

extension EntitlementSnapshot.Changes {
    /// All products that have to do with them.
    var products: Set<String> { touched.union(newlyOwned).union(noLongerOwned) }

    /// What is told of them.
    func events(in snapshot: ManagerState.Snapshot) -> [CatalogEvent] {
        let ownership = newlyOwned + noLongerOwned
        return (appPurchase.map { [.entitlements(.originalPurchaseKnown($0.original))] } ?? [])
            + (isLossChanged ? [.ledger(.lossChanged(snapshot.entitlements.loss))] : [])
            + (ownership.isEmpty ? [] : [.entitlements(.ownershipChanged(ownership))])
            + wallets.map { .entitlements(.walletChanged($0, balance: snapshot.entitlements.balance(of: $0))) }
    }
}
