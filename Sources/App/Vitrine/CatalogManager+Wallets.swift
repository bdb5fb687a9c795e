public import VitrineEntitlements

extension CatalogManager {
    /// Access to the customer's wallets.
    public nonisolated var wallets: Wallets { Wallets(manager: self) }

    /// Access to the customer's wallets: balances of units that consumables credit, by `storageKey`.
    public struct Wallets: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.Wallets {
    private var entitlements: EntitlementSnapshot { manager.state.snapshot.entitlements }

    /// Returns the balance of a wallet, which is 0 if the wallet was never credited. The balance is unknown after a
    /// ledger was lost, until ``CatalogManager/LedgerAccess/settleLoss(because:by:)``.
    public func balance(for key: String) -> WalletBalance { entitlements.balance(of: key) }

    /// Balance of each wallet that was ever changed.
    public var balances: [String: WalletBalance] {
        let entitlements = entitlements
        return Dictionary(uniqueKeysWithValues: entitlements.balances.keys.map { ($0, entitlements.balance(of: $0)) })
    }

    /// Spends units of a wallet.
    ///
    /// - Parameters:
    ///   - amount: Number of units, above zero.
    ///   - wallet: The wallet's key: the `storageKey` of the products that credit it.
    ///   - token: The app's own identifier of this spending. Repeated calls with the same token spend the units only
    ///     once.
    /// - Returns: The balance afterwards. If the ledger has recorded the spending but cannot be read afterwards, an
    ///   event reports that, and the result is the balance before the spending.
    /// - Throws: `LedgerError`: `insufficientFunds` if the wallet has fewer units; `balanceUnknown` after a ledger was
    ///   lost, until the app calls ``CatalogManager/LedgerAccess/settleLoss(because:by:)``; `conflict` if the token was
    ///   used for another spending; `invalidFact` for an amount that is not above zero; or a failure of the storage.
    @discardableResult
    public func spend(_ amount: Int, from wallet: String, token: String) async throws(LedgerError) -> WalletBalance {
        try await spend(amount, from: wallet, token: token, requiresLease: false)
    }

    func spend(
        _ amount: Int, from wallet: String, token: String, requiresLease: Bool
    ) async throws(LedgerError) -> WalletBalance {
        // Another process may have spent the units already.
        try await manager.state.refresh()
        // The lost ledger may have recorded the same spending.
        guard entitlements.loss == nil else {
            throw LedgerError(
                code: .balanceUnknown,
                reason: "the balance of the wallet \"\(wallet)\" is unknown because an earlier ledger was lost")
        }
        let debit = Fact.Debit(token: token, wallet: wallet, amount: amount)
        try await manager.entitlements.record([
            DatedFact(fact: .debit(debit), date: manager.now(), requiresLease: requiresLease)
        ])
        return balance(for: wallet)
    }

    /// Adds units to a wallet without a purchase, such as a gift.
    ///
    /// - Parameters:
    ///   - amount: Number of units, above zero.
    ///   - wallet: The wallet's key: the `storageKey` of the products that credit it.
    ///   - token: The app's own identifier of this deposit. Repeated calls with the same token add the units only once.
    ///   - reason: Reason as text, for later review.
    /// - Returns: The balance afterwards, as ``spend(_:from:token:)`` returns it.
    /// - Throws: `LedgerError`: `conflict` if the token was used for something else, `invalidFact` for an amount that
    ///   is not above zero or a wallet that would exceed 64 bits, or a failure of the storage.
    @discardableResult
    public func deposit(
        _ amount: Int, in wallet: String, token: String, because reason: String
    ) async throws(LedgerError) -> WalletBalance {
        let deposit = Fact.Deposit(token: token, wallet: wallet, amount: amount, reason: reason)
        try await manager.entitlements.record([.deposit(deposit)], at: manager.now())
        return balance(for: wallet)
    }
}
