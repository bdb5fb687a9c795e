internal import Foundation

// MARK: - Leases

extension LedgerRules {
    enum Lessee {
        case this, others
    }

    /// Checks a lease of this device, for which the wallet must contain units that no device has leased.
    func check(_ lease: Fact.Lease) throws {
        guard lease.amount > 0 else {
            throw invalid("the amount of a lease must be above zero, not \(lease.amount)")
        }
        let balance = try balance(of: lease.wallet)
        let free = try balance - unitsLeased(by: .others, of: lease.wallet) - unitsLeased(by: .this, of: lease.wallet)
        guard lease.amount <= free else {
            throw LedgerError(
                code: .insufficientFunds,
                reason: "the wallet \"\(lease.wallet)\" has a balance of \(balance) units, of which \(max(0, free)) "
                    + "are not leased, fewer than the lease of \(lease.amount) units")
        }
    }

    /// Returns the number of units of a wallet that devices have leased and not spent. A lease counts for its own
    /// device until it ends, and for other devices until its time of grace is over.
    func unitsLeased(by lessee: Lessee, of wallet: String) throws -> Int {
        let leases = try recorded.leases(ofWallet: wallet).filter { ($0.device == nil) == (lessee == .this) }
        guard !leases.isEmpty else { return 0 }
        var open: [(lease: Fact.Lease, entry: LedgerEntry)] = []
        for entry in leases {
            guard case .lease(let lease) = entry.fact else { continue }
            let end = lessee == .this ? lease.expirationDate : lease.expirationDate + Fact.Lease.grace
            if date < end, try known(.release, lease.token) == nil { open.append((lease, entry)) }
        }
        guard !open.isEmpty else { return 0 }
        let debits = try recorded.entries(ofWallet: wallet).filter { $0.fact.kind == .debit }
        var leased = 0
        for (device, leases) in Dictionary(grouping: open, by: \.entry.device) {
            // What a device spends is taken from the leases that it has at that moment.
            var changes = leases.map { (moment: $0.entry.moment, amount: $0.lease.amount) }
            for debit in debits where debit.device == device {
                changes.append((debit.moment, debit.fact.walletChange?.amount ?? 0))
            }
            leased += changes.sorted { $0.moment < $1.moment }.reduce(0) { max(0, $0 + $1.amount) }
        }
        return leased
    }
}
