internal import Foundation
package import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

extension CustomerRecords {
    /// Maximum length in bytes of UTF-8 of a token or a wallet's name.
    package static let longestName = 200

    /// Character between the parts of a token that the server makes of another one after a merge. Because no request may
    /// contain control characters, no such token can be requested.
    static let tokenSeparator: Character = "\u{1F}"

    /// Spends units of a wallet. Units that devices have leased cannot be spent, and a repeated token spends only once, also
    /// after an operator has transferred the device to another customer.
    ///
    /// - Throws: ``CustomerError``: `insufficientFunds` if the wallet has too few units that are not leased, `conflict`
    ///   if the token belongs to a different fact, `invalid` for an amount below 1 or above 2⁴⁸.
    package func spend(
        _ amount: Int, of wallet: String, token: String, from device: EnrolledDevice
    ) async throws(CustomerError) -> DebitAnswer {
        try Self.check(names: [wallet, token])
        let (debit, date) = (Fact.Debit(token: token, wallet: wallet, amount: amount), now)
        if let known = try await debitBeforeTransfer(debit, of: device) { return known }
        let change = try await change(device.customer) { rules in
            do {
                try rules.check(DatedFact(fact: .debit(debit), date: date))
            } catch let error as LedgerError where error.code == .conflict {
                // After a merge, another record may have the token of what the server has decided.
                guard rules.recorded.debitsDecided(inWallet: wallet).contains(debit) else { throw error }
            }
        }
        return DebitAnswer(
            isNew: !change.entries.isEmpty, balance: change.customer.facts.balance(of: wallet),
            sequence: change.customer.sequence)
    }

    /// Returns the answer to a request that is repeated after a transfer of its device. The debit stays with the customer who
    /// had the device.
    ///
    /// - Throws: ``CustomerError`` `conflict` if the token belongs to a different debit.
    private func debitBeforeTransfer(
        _ debit: Fact.Debit, of device: EnrolledDevice
    ) async throws(CustomerError) -> DebitAnswer? {
        guard !device.origins.isEmpty else { return nil }
        let own = try await resolveMerged(of: device.customer)
        for origin in device.origins {
            let former: KnownCustomer
            do throws(CustomerError) {
                former = try await resolveMerged(of: origin.customer)
            } catch {
                // The customer was erased, with the debits.
                guard error.code == .notFound else { throw error }
                continue
            }
            guard former.id != own.id else { continue }
            let decided = former.facts.debitsDecided(requestedAs: debit.token, until: origin.end)
            guard let first = decided.first else { continue }
            guard decided.contains(debit) else { throw CustomerError(ledger: LedgerError.conflict(.debit(first))) }
            return DebitAnswer(
                isNew: false, balance: own.facts.balance(of: debit.wallet), sequence: own.sequence)
        }
        return nil
    }

    private static func check(names: [String]) throws(CustomerError) {
        let isValid = names.allSatisfy { name in
            (1...longestName).contains(name.utf8.count) && !name.unicodeScalars.contains(where: \.isControl)
        }
        guard isValid else {
            throw CustomerError(
                code: .invalid, reason: "a wallet or token is empty, too long, or contains a control character")
        }
    }

    // MARK: Leases

    /// Leases units of a wallet to a device, which can then spend them without a network.
    ///
    /// - Parameter seconds: Duration of the lease in seconds.
    /// - Throws: ``CustomerError``: `insufficientFunds` if the wallet has too few units that are not leased, `conflict`
    ///   if the token belongs to a different lease, or the device already has a lease of the wallet.
    package func lease(
        _ amount: Int, of wallet: String, token: String, seconds: Int, to device: EnrolledDevice
    ) async throws(CustomerError) -> LeaseAnswer {
        try Self.check(names: [wallet, token])
        guard (1...Int(options.longestLease)).contains(seconds) else {
            throw CustomerError(
                code: .invalid, reason: "a lease lasts from 1 to \(Int(options.longestLease)) seconds")
        }
        let (date, policy, key) = (now, options.overdrafts, Self.key(ofLease: token, of: device))
        let lease = Fact.Lease(
            token: key, wallet: wallet, amount: amount, expirationDate: date + TimeInterval(seconds))
        let change = try await change(device.customer) { rules in
            if let (known, earlier) = rules.recorded.lease(key, of: device) {
                guard earlier.wallet == wallet, earlier.amount == amount else {
                    throw LedgerError.conflict(known.fact)
                }
                return
            }
            guard !rules.recorded.hasOpenLease(of: wallet, device.id, at: date) else {
                throw CustomerError(code: .conflict, reason: "the device has a lease of this wallet already")
            }
            // The trial applies the check of a lease by the server itself: whether the wallet has enough units.
            var trial = rules
            try trial.check(DatedFact(fact: .lease(lease), date: date))
            _ = try rules.merge(
                [ExchangedFact(fact: .lease(lease), moment: date, device: device.id)], adjusting: [],
                overdrafts: policy, at: date)
        }
        return try Self.answer(token, device, change.customer)
    }

    private static func key(ofLease token: String, of device: EnrolledDevice) -> String { "\(device.id) \(token)" }

    /// Records the debits of a device from a lease.
    ///
    /// - Parameters:
    ///   - debits: Debits of the device, each with a token of its own.
    ///   - isReturned: `true` to end the lease.
    /// - Throws: ``CustomerError``: `notFound` if the device has no such lease, `insufficientFunds` for more units than
    ///   the lease has left, `conflict` for a token that belongs to a different fact, `invalid` for a debit without
    ///   units, or of a lease that was returned or that a transfer has ended. After an error, nothing is recorded.
    package func report(
        lease token: String, debits: [LeaseDebit], returning isReturned: Bool, from device: EnrolledDevice
    ) async throws(CustomerError) -> LeaseAnswer {
        try Self.check(names: [token] + debits.map(\.token))
        guard debits.count <= 1_000 else { throw CustomerError(code: .invalid, reason: "there are too many debits") }
        let (date, policy, key) = (now, options.overdrafts, Self.key(ofLease: token, of: device))
        let change = try await change(device.customer) { rules in
            guard let (entry, lease) = rules.recorded.lease(key, of: device) else {
                throw CustomerError(code: .notFound, reason: "the device has no such lease")
            }
            let isReleased = rules.recorded.entry(of: .release, key: key) != nil
            var left = rules.recorded.unitsLeft(of: entry, lease)
            var facts: [ExchangedFact] = []
            var decided: Set<Fact.Debit>?
            for debit in debits {
                let spent = Fact.Debit(token: debit.token, wallet: lease.wallet, amount: debit.amount)
                let fact = Fact.debit(spent)
                if let known = rules.recorded.entry(of: .debit, key: debit.token) {
                    // A debit in a document is only what a device says: the server has not decided it.
                    if known.fact == fact, known.isOfServer { continue }
                    let all = decided ?? rules.recorded.debitsDecided(inWallet: lease.wallet)
                    decided = all
                    guard all.contains(spent) else { throw LedgerError.conflict(fact) }
                    continue
                }
                guard debit.amount > 0, !facts.contains(where: { $0.fact.key == debit.token }), !isReleased else {
                    throw CustomerError(
                        code: .invalid,
                        reason: "a debit has no units, is named twice, or is of a lease that was returned or that an "
                            + "operator's transfer has ended")
                }
                guard debit.amount <= left, date < lease.expirationDate + Fact.Lease.grace else {
                    throw CustomerError(
                        code: .insufficientFunds, reason: "\(left) units are left of the lease, fewer than were spent")
                }
                left = left.subtractingSaturated(debit.amount)
                facts.append(
                    ExchangedFact(
                        fact: fact, moment: Self.moment(of: debit, from: entry, lease, at: date), device: device.id))
            }
            if isReturned, !isReleased {
                facts.append(
                    ExchangedFact(fact: .release(Fact.Release(token: key)), moment: date, device: device.id))
            }
            _ = try rules.merge(facts, adjusting: [], overdrafts: policy, at: date)
        }
        return try Self.answer(token, device, change.customer)
    }

    /// Returns the moment of a debit within its lease. The clocks of device and server differ, and the units are bounded by
    /// the lease, so that a moment outside the lease, or after the report, counts as the nearest one within.
    ///
    /// - Parameter date: Moment of the report.
    private static func moment(
        of debit: LeaseDebit, from entry: LedgerEntry, _ lease: Fact.Lease, at date: Date
    ) -> Date {
        let end = min(date.milliseconds, lease.expirationDate.milliseconds - 1)
        return Date(milliseconds: max(entry.moment.milliseconds + 1, min(debit.spent, end)))
    }

    private static func answer(
        _ token: String, _ device: EnrolledDevice, _ customer: KnownCustomer
    ) throws(CustomerError) -> LeaseAnswer {
        guard let (entry, lease) = customer.facts.lease(key(ofLease: token, of: device), of: device) else {
            throw CustomerError(code: .notFound, reason: "the device has no such lease")
        }
        return LeaseAnswer(
            token: token, wallet: lease.wallet, amount: lease.amount, expires: lease.expirationDate.milliseconds,
            left: customer.facts.unitsLeft(of: entry, lease), sequence: customer.sequence)
    }
}

extension FactsInMemory {
    /// Returns a lease that the server has given to a device.
    fileprivate func lease(_ key: String, of device: EnrolledDevice) -> (LedgerEntry, Fact.Lease)? {
        guard let entry = entry(of: .lease, key: key), entry.device == device.id, case .lease(let lease) = entry.fact
        else { return nil }
        return (entry, lease)
    }

    /// Indicates that a device has a lease of a wallet that has neither expired nor been released.
    fileprivate func hasOpenLease(of wallet: String, _ device: String, at date: Date) -> Bool {
        leases(ofWallet: wallet).contains { entry in
            guard case .lease(let lease) = entry.fact, entry.device == device else { return false }
            return lease.expirationDate > date && self.entry(of: .release, key: lease.token) == nil
        }
    }

    /// Returns the entries of leases that the server has given to devices, and whose debits it still records.
    func reportableLeases(ofWallet wallet: String, at date: Date) -> [LedgerEntry] {
        leases(ofWallet: wallet).filter { entry in
            guard entry.isOfServer, case .lease(let lease) = entry.fact else { return false }
            return date < lease.expirationDate + Fact.Lease.grace && self.entry(of: .release, key: lease.token) == nil
        }
    }

    /// Returns the number of unspent units of a lease. A device has one lease of a wallet at a time, so that all its
    /// debits during the lease count.
    fileprivate func unitsLeft(of entry: LedgerEntry, _ lease: Fact.Lease) -> Int {
        entries(ofWallet: lease.wallet).reduce(lease.amount) { left, other in
            guard let debit = other.fact.recordedDebit, other.device == entry.device, other.moment > entry.moment,
                other.moment < lease.expirationDate
            else { return left }
            return left.subtractingSaturated(debit.amount)
        }
    }
}
