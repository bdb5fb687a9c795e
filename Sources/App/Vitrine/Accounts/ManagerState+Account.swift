internal import VitrineSupport

extension ManagerState {
    /// App Store account that verified data of the store has named last; `nil` while none is known.
    var account: String? { knownAccount.withLock { $0?.account } }

    /// `true` if another account has replaced the former one in the same ledger, and the purchases that the store knows
    /// of it have not been read since.
    var isAccountUnread: Bool { knownAccount.withLock { $0?.isUnread ?? false } }

    /// Notes the App Store account that verified data names, and reports a change, unless the app keeps the accounts
    /// apart: the change is then reported when the ledger of the account is open. The first account is stored too,
    /// because the entries of a ledger do not name it for ever.
    ///
    /// The method may be called while the entitlements are locked, and therefore does not change them.
    func note(account: String?) {
        guard accounts == .keepAll, let account, !account.isEmpty else { return }
        let former = knownAccount.withLock { known in
            let former = known?.account
            guard former != account else { return former }
            set(LedgerAccount(account: account, isUnread: former == nil ? nil : true), in: &known)
            return former
        }
        guard let former, former != account else { return }
        send(.entitlements(.accountChanged(from: former, to: account)))
        replacedAccounts.continuation.yield()
    }

    /// Notes that the purchases which the store knows of an account were read into the ledger.
    func noteRead(of account: String?) {
        knownAccount.withLock { known in
            guard let present = known, present.isUnread == true, present.account == account else { return }
            set(LedgerAccount(account: present.account), in: &known)
        }
    }

    private func set(_ account: LedgerAccount, in known: inout LedgerAccount?) {
        known = account
        accountChanges.continuation.yield(account)
    }

    /// Replaces the known account by that of the ledger that is open now.
    func replaceAccount(by account: String) { knownAccount.withLock { $0 = LedgerAccount(account: account) } }
}
