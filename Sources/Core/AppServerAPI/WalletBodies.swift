/// Request to spend units of a wallet.
package struct DebitRequest: JSONBody, Hashable {
    package let token: String
    package let amount: Int

    package init(token: String, amount: Int) { (self.token, self.amount) = (token, amount) }
}

/// Response to a debit.
package struct DebitAnswer: JSONBody, Hashable {
    /// `false` if the same debit was recorded before.
    package var isNew: Bool
    /// Balance of the wallet after the debit.
    package var balance: Int
    /// Sequence number of the customer's last fact.
    package var sequence: Int64

    package init(isNew: Bool, balance: Int, sequence: Int64) {
        (self.isNew, self.balance, self.sequence) = (isNew, balance, sequence)
    }
}

/// Request to lease units of a wallet.
package struct LeaseRequest: JSONBody, Hashable {
    package let token: String
    package let amount: Int
    /// Duration of the lease in seconds.
    package let seconds: Int

    package init(token: String, amount: Int, seconds: Int) {
        (self.token, self.amount, self.seconds) = (token, amount, seconds)
    }
}

/// Response to a request about a lease.
package struct LeaseAnswer: JSONBody, Hashable {
    package var token: String
    package var wallet: String
    package var amount: Int
    /// Expiration of the lease, in milliseconds since 1970.
    package var expires: Int64
    /// Number of unspent units of the lease.
    package var left: Int
    package var sequence: Int64

    package init(token: String, wallet: String, amount: Int, expires: Int64, left: Int, sequence: Int64) {
        (self.token, self.wallet, self.amount) = (token, wallet, amount)
        (self.expires, self.left, self.sequence) = (expires, left, sequence)
    }
}

/// Report of the debits from a lease.
package struct LeaseReport: JSONBody, Hashable {
    package let debits: [LeaseDebit]
    /// `true` to end the lease; `nil` is `false`.
    package let isReturned: Bool?

    package init(debits: [LeaseDebit], isReturned: Bool? = nil) {
        (self.debits, self.isReturned) = (debits, isReturned)
    }
}

/// Debit from a lease, as a device reports it.
package struct LeaseDebit: Sendable, Hashable, Codable {
    package var token: String
    package var amount: Int
    /// Date of the debit, in milliseconds since 1970.
    package var spent: Int64

    package init(token: String, amount: Int, spent: Int64) {
        self.token = token
        self.amount = amount
        self.spent = spent
    }
}
