public import Entitlements
internal import ProductCatalog

extension CatalogManager {
    /// Gives the customer a product outside the store. Doing it again changes nothing, unless it was locked since.
    ///
    /// - Parameters:
    ///   - identifier: A product of the catalog that is no consumable.
    ///   - reason: Why, in words, for whoever asks later.
    ///   - author: Who gives it, in words.
    /// - Throws: ``UnlockError``.
    public func unlock(
        _ identifier: String, because reason: String = "unlocked by the app", by author: String = ""
    ) async throws(UnlockError) {
        let entitlements = try await currentEntitlements()
        guard entitlements.catalog != nil else {
            throw UnlockError(code: .notInCatalog, reason: "no catalog is loaded")
        }
        guard let product = state.snapshot.listings?[identifier] else {
            throw UnlockError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        guard product.kind != .consumable else {
            throw UnlockError(code: .consumable, reason: "\(identifier) is a consumable, which cannot be owned")
        }
        let locks = entitlements.locks(of: identifier).count
        let grant = Fact.Grant(
            token: "unlock:\(identifier)" + (locks == 0 ? "" : ":\(locks)"), productIdentifier: identifier,
            reason: reason, author: author)
        try await record(.grant(grant))
    }

    /// Takes away what was given outside the store: every grant of a product, whoever gave it. What was bought stays.
    ///
    /// - Parameters:
    ///   - identifier: The product's identifier, whether or not the catalog still has it.
    ///   - reason: Why, in words, for whoever asks later.
    ///   - author: Who does it, in words.
    /// - Returns: Whether there was a grant.
    /// - Throws: ``UnlockError`` where the ledger does not record it.
    @discardableResult
    public func lock(
        _ identifier: String, because reason: String = "locked by the app", by author: String = ""
    ) async throws(UnlockError) -> Bool {
        let entitlements = try await currentEntitlements()
        guard entitlements.hasGrant(of: identifier) else { return false }
        let lock = Fact.Lock(
            token: "lock:\(identifier):\(entitlements.locks(of: identifier).count + 1)",
            productIdentifier: identifier, reason: reason, author: author)
        try await record(.lock(lock))
        return true
    }

    private func currentEntitlements() async throws(UnlockError) -> EntitlementSnapshot {
        do {
            try await state.refresh()
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
        return state.snapshot.entitlements
    }

    private func record(_ fact: Fact) async throws(UnlockError) {
        do {
            _ = try await ledger.append([fact], at: now())
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
        await state.refreshOrReport()
    }

    // MARK: Wallets

    /// Takes units from a wallet.
    ///
    /// - Parameters:
    ///   - amount: Above zero.
    ///   - wallet: Its key: the `storageKey` of the products that fill it.
    ///   - token: The app's own name for this spending. The same token takes once, however often it is used.
    /// - Returns: The balance afterwards. Should the ledger have recorded the spending and then not be readable, an
    ///   event says so, and the balance is the one from before.
    /// - Throws: `LedgerError`: `insufficientFunds` where the wallet holds less, `conflict` where the token was used
    ///   for another spending, `invalidFact` for an amount that is not above zero, or a failure of the storage.
    @discardableResult
    public func spend(_ amount: Int, from wallet: String, token: String) async throws(LedgerError) -> WalletBalance {
        // What cannot be read may have been spent already.
        try await state.refresh()
        _ = try await ledger.append([.debit(Fact.Debit(token: token, wallet: wallet, amount: amount))], at: now())
        await state.refreshOrReport()
        return walletBalance(for: wallet)
    }

    /// Puts units into a wallet without a purchase: a present, say.
    ///
    /// - Parameters:
    ///   - amount: Above zero.
    ///   - wallet: Its key: the `storageKey` of the products that fill it.
    ///   - token: The app's own name for this. The same token adds once, however often it is used.
    ///   - reason: Why, in words, for whoever asks later.
    /// - Returns: The balance afterwards, as ``spend(_:from:token:)`` tells it.
    /// - Throws: `LedgerError`: `conflict` where the token was used for something else, `invalidFact` for an amount
    ///   that is not above zero or a wallet that would grow past 64 bits, or a failure of the storage.
    @discardableResult
    public func deposit(
        _ amount: Int, in wallet: String, token: String, because reason: String
    ) async throws(LedgerError) -> WalletBalance {
        let deposit = Fact.Deposit(token: token, wallet: wallet, amount: amount, reason: reason)
        _ = try await ledger.append([.deposit(deposit)], at: now())
        await state.refreshOrReport()
        return walletBalance(for: wallet)
    }

    /// Says that somebody has looked at what the loss of an earlier ledger has left: balances are known from here on.
    ///
    /// - Parameters:
    ///   - reason: Why, in words, for whoever asks later.
    ///   - author: Who says so, in words.
    /// - Returns: Whether there was a loss to settle.
    /// - Throws: `LedgerError` where the storage fails.
    @discardableResult
    public func settleLoss(because reason: String, by author: String = "") async throws(LedgerError) -> Bool {
        guard let loss = ledgerLoss else { return false }
        let settlement = Fact.Settlement(token: loss.token, reason: reason, author: author)
        _ = try await ledger.append([.settlement(settlement)], at: now())
        await state.refreshOrReport()
        return true
    }
}

/// Why a product was not unlocked or locked.
public struct UnlockError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        public static let notInCatalog = Code("not-in-catalog")
        public static let consumable = Code("consumable")
        /// The ledger cannot be read, or did not record it.
        public static let ledger = Code("ledger")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
