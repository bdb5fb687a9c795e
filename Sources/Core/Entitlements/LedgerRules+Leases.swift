package import Foundation
internal import VitrineSupport

// MARK: - Leases

extension LedgerRules {
    enum Lessee {
        case this, others
    }

    /// Checks a lease of this device. The wallet must contain enough units that no device has leased.
    func check(_ lease: Fact.Lease) throws {
        guard (1...Fact.Lease.largestAmount).contains(lease.amount) else {
            throw invalid(
                "the amount of a lease must be above zero and at most \(Fact.Lease.largestAmount), not \(lease.amount)")
        }
        guard lease.expirationDate > date else { throw invalid("the end of the lease has passed") }
        let balance = try balance(of: lease.wallet)
        let free = try balance.subtractingSaturated(unitsLeased(by: .others, of: lease.wallet))
            .subtractingSaturated(unitsLeased(by: .this, of: lease.wallet))
        guard lease.amount <= free else {
            throw LedgerError(
                code: .insufficientFunds,
                reason: "the wallet \"\(lease.wallet)\" has a balance of \(balance) units, of which \(max(0, free)) "
                    + "are not leased, fewer than the lease of \(lease.amount) units")
        }
    }

    /// Checks that this device has leased the units of a debit.
    func checkLease(of debit: Fact.Debit) throws {
        let leased = try unitsLeased(by: .this, of: debit.wallet)
        guard debit.amount <= leased else {
            throw LedgerError(
                code: .insufficientFunds,
                reason:
                    "this device has leased \(leased) units of the wallet \"\(debit.wallet)\", fewer than the debit of "
                    + "\(debit.amount) units")
        }
    }

    /// Returns the number of units of a wallet that devices have leased and not spent. A lease is valid for its own
    /// device until it ends, and for other devices until its grace period has ended too.
    func unitsLeased(by lessee: Lessee, of wallet: String) throws -> Int {
        let leases = try recorded.leases(ofWallet: wallet).filter { ($0.device == nil) == (lessee == .this) }
        guard !leases.isEmpty else { return 0 }
        let releases = try leases.reduce(into: [String: Date]()) { releases, lease in
            releases[lease.fact.key] = try knownEntry(.release, lease.fact.key)?.moment
        }
        let grace = lessee == .this ? 0 : Fact.Lease.grace
        let isAnyOpen = leases.contains { releases[$0.fact.key] == nil && $0.leaseEnd + grace > date }
        guard isAnyOpen else { return 0 }
        return leases.unitsLeft(
            after: try recorded.entries(ofWallet: wallet), released: releases, at: date, grace: grace)
    }
}

extension LedgerEntry {
    /// End of a lease; a date in the distant past for other facts.
    fileprivate var leaseEnd: Date { if case .lease(let lease) = fact { lease.expirationDate } else { .distantPast } }
}

extension [LedgerEntry] {
    /// Returns the number of leased units that the devices of the leases have not spent. A debit uses the leases that
    /// its device has at the moment of the debit, starting with the lease that ends first.
    ///
    /// - Parameters:
    ///   - entries: Entries with the debits of the leases' wallet.
    ///   - releases: Moments of releases, by the tokens of the released leases.
    ///   - date: Date for which the units are computed. Leases that have ended or were released by then are not
    ///     included.
    ///   - grace: Time in seconds for which a lease remains valid after its end.
    package func unitsLeft(
        after entries: [LedgerEntry], released releases: [String: Date], at date: Date, grace: TimeInterval
    ) -> Int {
        let debits = entries.filter { $0.fact.kind == .debit }.sorted { $0.moment < $1.moment }
        var total = 0
        for (device, leases) in Dictionary(grouping: self, by: \.device) {
            var left = leases.sorted { $0.leaseEnd < $1.leaseEnd }.map { entry in
                let amount = if case .lease(let lease) = entry.fact { lease.amount } else { 0 }
                return (start: entry.moment, end: entry.leaseEnd, released: releases[entry.fact.key], units: amount)
            }
            for debit in debits where debit.device == device {
                var units = (debit.fact.walletChange?.amount ?? 0).negatedSaturated
                for index in left.indices {
                    let lease = left[index]
                    guard lease.start < debit.moment, lease.end + grace > debit.moment,
                        lease.released ?? .distantFuture > debit.moment
                    else { continue }
                    let taken = Swift.min(units, lease.units)
                    left[index].units -= taken
                    units -= taken
                }
            }
            for lease in left where lease.released == nil && lease.end + grace > date {
                total = total.addingSaturated(lease.units)
            }
        }
        return total
    }
}
