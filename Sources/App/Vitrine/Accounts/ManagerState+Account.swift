internal import VitrineSupport

extension ManagerState {
    /// App Store account that verified data of the store has named last; `nil` while none is known.
    var account: String? { knownAccount.withLock { $0 } }

    /// Notes the App Store account that verified data names, and reports a change, unless the app keeps the accounts
    /// apart: the change is then reported when the ledger of the account is open. The first account is stored too,
    /// because the entries of a ledger do not name it for ever.
    func note(account: String?) {
        guard accounts == .keepAll, let account, !account.isEmpty else { return }
        let former = replaceAccount(by: account)
        guard former != account else { return }
        accountChanges.continuation.yield(LedgerAccount(account: account))
        if let former { send(.entitlements(.accountChanged(from: former, to: account))) }
    }

    /// Replaces the known account.
    ///
    /// - Returns: The account that was known before; `nil` if none was known.
    @discardableResult
    func replaceAccount(by account: String) -> String? {
        knownAccount.withLock { known in
            defer { known = account }
            return known
        }
    }
}
