/// What every ledger checks before it records facts, whatever it keeps them in.
package struct LedgerRules {
    private var balances: [String: Int] = [:]
    private let storedBalance: (String) throws -> Int
    private let recorded: (Fact.Kind, String) throws -> Fact?
    /// The facts that are to be recorded.
    package private(set) var accepted: [Fact] = []

    /// - Parameters:
    ///   - storedBalance: The balance of a wallet in the ledger.
    ///   - recorded: The fact in the ledger with a kind and key.
    package init(
        storedBalance: @escaping (String) throws -> Int,
        recorded: @escaping (Fact.Kind, String) throws -> Fact?
    ) {
        self.storedBalance = storedBalance
        self.recorded = recorded
    }

    /// Accepts a fact, or skips one that is known already.
    ///
    /// - Throws: ``LedgerError`` for a fact that must not be recorded, and whatever reading the ledger throws.
    package mutating func check(_ fact: Fact) throws {
        guard !fact.key.isEmpty else { throw invalid("the \(fact.kind.rawValue) has no transaction or token") }
        if let known = try known(fact.kind, fact.key) {
            guard !fact.contradicts(known) else { throw LedgerError.conflict(fact) }
            return
        }
        switch fact {
        case .purchase(let purchase):
            guard purchase.quantity > 0 else { throw invalid("the quantity is \(purchase.quantity)") }
            guard try known(.revocation, fact.key) == nil else { throw LedgerError.revoked(purchase) }
        case .credit(let credit):
            guard credit.amount > 0 else { throw invalid("the amount is \(credit.amount)") }
            guard try known(.purchase, credit.originalTransactionID) != nil else {
                throw invalid("the credit has no purchase")
            }
            let (balance, overflows) = try balance(of: credit.wallet).addingReportingOverflow(credit.amount)
            guard !overflows else {
                throw invalid("the wallet \"\(credit.wallet)\" would hold more than 64 bits can say")
            }
            balances[credit.wallet] = balance
        case .debit(let debit):
            guard debit.amount > 0 else { throw invalid("the amount is \(debit.amount)") }
            let balance = try balance(of: debit.wallet)
            guard debit.amount <= balance else { throw LedgerError.insufficientFunds(debit, balance: balance) }
            balances[debit.wallet] = balance - debit.amount
        case .revocation(var revocation):
            if case .purchase(let purchase) = try known(.purchase, fact.key),
                purchase.productIdentifier != revocation.productIdentifier
            {
                throw LedgerError.conflict(.purchase(purchase))
            }
            revocation.takenBack = try takeBackCredit(of: revocation)
            accepted.append(.revocation(revocation))
            return
        case .grant, .appPurchase: break
        }
        accepted.append(fact)
    }

    /// - Returns: What is left of what the purchase had credited.
    private mutating func takeBackCredit(of revocation: Fact.Revocation) throws -> Fact.WalletAmount? {
        guard case .credit(let credit) = try known(.credit, revocation.originalTransactionID) else { return nil }
        let balance = try balance(of: credit.wallet)
        let amount = min(credit.amount, balance)
        guard amount > 0 else { return nil }
        balances[credit.wallet] = balance - amount
        return Fact.WalletAmount(wallet: credit.wallet, amount: amount)
    }

    private func known(_ kind: Fact.Kind, _ key: String) throws -> Fact? {
        try accepted.first { $0.kind == kind && $0.key == key } ?? recorded(kind, key)
    }

    private func balance(of wallet: String) throws -> Int {
        try balances[wallet] ?? storedBalance(wallet)
    }

    private func invalid(_ reason: String) -> LedgerError { LedgerError(code: .invalidFact, reason: reason) }
}
