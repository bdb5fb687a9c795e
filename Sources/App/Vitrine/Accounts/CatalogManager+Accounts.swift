internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineFileSystem
internal import VitrinePurchasing

extension CatalogManager {
    /// Ledger of the storage directory that keeps App Store accounts apart; `nil` if the app does not.
    nonisolated var separateLedger: HomeLedger? {
        options.purchases.accounts == .separate ? entitlements.ledger as? HomeLedger : nil
    }

    /// Storage directory of the present App Store account: that of the app, or the folder of an account in it.
    nonisolated var accountPlace: Home { separateLedger?.place ?? home }

    /// `true` if the storage directory may contain data of the device that is not of the present App Store account, and
    /// that names no account: app receipts and records of legacy libraries.
    nonisolated var hasSeveralAccounts: Bool { separateLedger != nil && home.hasSeveralAccounts }

    /// Requests the present App Store account from the store, if the app keeps accounts apart, and opens the ledger of
    /// the account. If the account is not known or cannot be verified, nothing changes. A call during another call waits
    /// for that.
    func followAccount() async {
        guard let ledger = separateLedger, !isStopped else { return }
        if let accountCheck { return await accountCheck.value }
        let check = HookCalls.outside {
            Task {
                await followAccount(in: ledger)
                accountCheck = nil
            }
        }
        accountCheck = check
        await check.value
    }

    /// Requests the present App Store account after the customer has signed in, whether the app keeps accounts apart or
    /// not.
    func askForAccount() async {
        guard separateLedger == nil else { return await followAccount() }
        // Without an answer, a change of the account is noticed later.
        if let account = (try? await grandfathering.account()) ?? nil { state.note(account: account) }
    }

    private func followAccount(in ledger: HomeLedger) async {
        isAccountVerified = false
        let account: String
        do {
            guard let named = try await grandfathering.account() else { return }
            account = named
        } catch {
            return state.send(.entitlements(.appTransactionFailed(error)))
        }
        do throws(LedgerError) {
            if let values = try await openLedger(ledger, of: account) { apply(values) }
            guard ledger.account == account else { return }
            isAccountVerified = true
            state.replaceAccount(by: account)
            try reportAccount(account)
        } catch {
            state.send(.ledger(.failed(error)))
        }
    }

    /// Opens the ledger of an account, unless the storage directory is exchanging with other devices at the moment: what
    /// belongs to one customer would be recorded for another. The next check of the account then opens it.
    private func openLedger(_ ledger: HomeLedger, of account: String) async throws(LedgerError) -> AccountValues? {
        if ledger.account == nil || ledger.account == account { return try await ledger.use(account) }
        let lock: FolderLock?
        do {
            lock = try exchangeLock()
        } catch {
            throw LedgerError(
                code: .unavailable,
                reason: "the storage directory cannot be locked: \(BoundedFile.reason(for: error))")
        }
        guard let lock else { return nil }
        defer { withExtendedLifetime(lock) {} }
        return try await ledger.use(account)
    }

    /// Applies the stored values of the ledger that was opened, and loads the products again.
    private func apply(_ values: AccountValues) {
        (knownPurchases, areChangesRead) = (values.known, false)
        // The next response of the store is stored in the opened ledger.
        storedSnapshot = nil
        unverifiedEntry = nil
        state.setPurchases(ofAccountWithApprovals: values.approvals, validAt: now())
        HookCalls.outside { _ = Task { await loadUnreadPurchases() } }
    }

    /// Reports the change of the account, once it is complete. A process that ends before it has noted that reports the
    /// change again.
    private func reportAccount(_ account: String) throws(LedgerError) {
        guard var present = try PresentAccount.read(in: home), present.account == account, let former = present.former
        else { return }
        state.send(.entitlements(.accountChanged(from: former, to: account)))
        present.former = nil
        try present.write(in: home)
    }

    /// Locks the storage directory against exchanges with other devices.
    ///
    /// - Returns: `nil` if an exchange is in progress, in this process or another one.
    nonisolated func exchangeLock() throws -> FolderLock? {
        try FileManager.default.createDirectory(at: home.exchange, withIntermediateDirectories: true)
        return try FolderLock.ifFree(home.exchange)
    }
}

extension EntitlementStore {
    /// Replaces ownership and balances by those of another ledger.
    func apply(_ replacement: HomeLedger.Replacement, at date: Date) {
        if let values = replacement.values {
            replace(
                byLedgerOfOtherAccount: replacement.summary, at: date, check: values.check,
                isIncomplete: values.known == nil)
        } else {
            replace(by: replacement.summary, at: date)
        }
    }
}

extension CatalogManager.Purchases {
    /// App Store account of the customer, as the store has signed it last: an identifier by which the store
    /// distinguishes the customers of the app. `nil` while it is unknown.
    public var account: String? { manager.state.account }
}
