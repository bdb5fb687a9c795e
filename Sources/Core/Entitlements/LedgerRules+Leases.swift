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
        let debits = Dictionary(grouping: entries.filter { $0.fact.kind == .debit }, by: \.device)
        var total = 0
        for (device, leases) in Dictionary(grouping: self, by: \.device) {
            var spending = LeaseSpending(leases, released: releases, grace: grace)
            let debits = (debits[device] ?? []).sorted { $0.moment < $1.moment }
            for debit in debits {
                spending.spend((debit.fact.walletChange?.amount ?? 0).negatedSaturated, at: debit.moment)
            }
            // What this device spends next comes after its last debit, whatever its clock shows. A lease from before the
            // debit that had ended by then is used by no debit, and would never be used up.
            let last = device == nil ? debits.last?.moment : nil
            total = total.addingSaturated(spending.units(at: date, after: last ?? .distantPast))
        }
        return total
    }
}

/// Leases of a device while its debits use them, in the order of their moments. Each lease is put into a heap once and
/// taken out of it once, because documents may have many leases and many debits.
private struct LeaseSpending {
    private struct Lease {
        let start: Date
        /// Date from which no debit uses the lease.
        let end: Date
        let isReleased: Bool
        var units: Int
    }

    /// Leases in the order in which debits use them.
    private var leases: [Lease]
    /// Indices of the leases that have not begun, the earliest one last.
    private var later: [Int]
    /// Heap of the indices of leases that have begun: each element is at most as large as its two children.
    private var begun: [Int] = []

    init(_ entries: [LedgerEntry], released releases: [String: Date], grace: TimeInterval) {
        let leases = entries.sorted { $0.leaseEnd < $1.leaseEnd }.map { entry in
            let (amount, release) = (entry.fact.positiveAmount ?? 0, releases[entry.fact.key])
            return Lease(
                start: entry.moment, end: min(entry.leaseEnd + grace, release ?? .distantFuture),
                isReleased: release != nil, units: amount)
        }
        self.leases = leases
        later = leases.indices.sorted { leases[$0].start > leases[$1].start }
    }

    /// Uses units of the leases that the device has at a moment, starting with the lease that ends first. Moments do not
    /// decrease from call to call.
    mutating func spend(_ amount: Int, at moment: Date) {
        while let next = later.last, leases[next].start < moment {
            later.removeLast()
            push(next)
        }
        var rest = amount
        while rest > 0, let first = begun.first {
            if leases[first].end > moment {
                let taken = min(rest, leases[first].units)
                leases[first].units -= taken
                rest -= taken
            }
            // Neither a lease without units nor one that has ended is used again.
            if leases[first].units == 0 || leases[first].end <= moment { popFirst() }
        }
    }

    /// Returns the number of units that are left of leases that are valid at a date.
    ///
    /// - Parameter last: Moment of the last debit, which may be later than the date. Leases that began before and had
    ///   ended by then are not included.
    func units(at date: Date, after last: Date) -> Int {
        leases.reduce(0) { total, lease in
            let isLeft = !lease.isReleased && lease.end > date && (lease.start >= last || lease.end > last)
            return isLeft ? total.addingSaturated(lease.units) : total
        }
    }

    private mutating func push(_ index: Int) {
        begun.append(index)
        var child = begun.count - 1
        while child > 0, begun[child] < begun[(child - 1) / 2] {
            begun.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func popFirst() {
        begun.swapAt(0, begun.count - 1)
        begun.removeLast()
        var parent = 0
        while true {
            let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < begun.count }
            guard let least = children.min(by: { begun[$0] < begun[$1] }), begun[least] < begun[parent] else { return }
            begun.swapAt(parent, least)
            parent = least
        }
    }
}
