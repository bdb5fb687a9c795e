internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Sums of all facts that a device has recorded. A key-value store contains one summary per device, because it has no
/// room for all facts.
///
/// Purchases are not part of the summary, because the store reports them to each device. A credit names its purchase,
/// so that it counts once if the store has sent the purchase to two devices. Debits and deposits are only known as
/// sums. If two devices record a debit or deposit with the same token, both are therefore counted.
struct DeviceSummary: Codable, Sendable, Hashable {
    var device = ""
    var name = ""
    /// Last sequence number of the ledger that the summary covers.
    var sequence: Int64 = 0
    /// Latest moment of a fact in the ledger, in milliseconds since 1970.
    var moment: Int64 = 0
    var wallets: [String: Sums] = [:]
    /// Units that purchases have credited, by purchase ID.
    var credits: [String: Credit] = [:]
    var grants: [EntryFields] = []
    var locks: [EntryFields] = []
    var removed: [String] = []
    var hasLeft = false
    /// Last sums under earlier identifiers of the device, which its sums do not include; `nil` if there are none. A
    /// device that does not have the earlier key, or exchanges through another store, cannot read the values themselves.
    var former: [Former]?
    /// Last facts in the sums, in their order; `nil` if there are none. They show which facts a copy of the device has, too.
    var history: [Step]?

    /// Fact of the device, with a code of the fact and all facts of the device before it.
    struct Step: Codable, Sendable, Hashable {
        /// Sequence number of the fact in the ledger.
        let sequence: Int64
        let code: String

        fileprivate static let most = 64

        fileprivate init(_ entry: LedgerEntry, after last: Step?) {
            let text = [
                last?.code ?? "", "\(entry.sequence)", "\(entry.moment.milliseconds)", entry.fact.kind.rawValue,
                "\(entry.fact.walletChange?.amount ?? 0)", entry.fact.key,
            ].joined(separator: " ")
            sequence = entry.sequence
            code = Data(SHA256.hash(data: Data(text.utf8))).prefix(8).hexadecimal
        }
    }

    /// Last sums that a device has published under an earlier identifier.
    struct Former: Codable, Sendable, Hashable {
        let device: String
        let sequence: Int64
        let moment: Int64
        let wallets: [String: Sums]

        init(_ summary: DeviceSummary) {
            (device, sequence, moment, wallets) = (summary.device, summary.sequence, summary.moment, summary.wallets)
        }
    }

    /// Total numbers of units that the device has ever added to a wallet and spent from it.
    struct Sums: Codable, Sendable, Hashable {
        var spent = 0
        var given = 0

        mutating func add(spent: Int = 0, given: Int = 0) {
            self.spent = self.spent.addingSaturated(spent)
            self.given = self.given.addingSaturated(given)
        }
    }

    struct Credit: Codable, Sendable, Hashable {
        var wallet: String
        var units: Int
        /// Last statement of the store about a refund; `nil` if there is none.
        var refund: Refund?
    }

    /// Statement of the store that a purchase is refunded, or that its refund is reversed. Devices may know different
    /// statements about one purchase: the one that was signed last applies, or of those signed at the same time the
    /// one that has removed more.
    struct Refund: Codable, Sendable, Hashable, Comparable {
        /// Units that the refunds of the purchase have removed in all; 0 if the last one was reversed.
        var units: Int
        /// Signing date of the statement, in milliseconds since 1970.
        var signed: Int64

        static func < (left: Refund, right: Refund) -> Bool {
            (left.signed, left.units) < (right.signed, right.units)
        }
    }

    private static let format = "vitrine-device-summary"

    func data(sealedWith key: LedgerSealKey?) throws -> Data {
        try SealedBody.data(self, format: Self.format, key: key)
    }

    /// Parses a summary.
    ///
    /// - Throws: ``DocumentError``.
    package static func read(
        _ data: Data, of device: String, key: LedgerSealKey?
    ) throws(DocumentError) -> DeviceSummary {
        let body = try SealedBody.open(data, format: format, key: key)
        guard let summary = try? JSONDecoder().decodeForeign(DeviceSummary.self, from: body) else {
            throw .refused("its body is not a summary in JSON")
        }
        guard summary.device == device else { throw .refused("its key is not that of its device") }
        let areAmounts =
            ([summary.wallets] + (summary.former ?? []).map(\.wallets)).allSatisfy { wallets in
                wallets.values.allSatisfy { $0.spent >= 0 && $0.given >= 0 }
            }
            && summary.credits.values.allSatisfy { $0.units > 0 && $0.refund?.units ?? 0 >= 0 }
        guard areAmounts, (summary.grants + summary.locks).allSatisfy(\.hasPossibleDates) else {
            throw .refused("a number or date in it is impossible")
        }
        return summary
    }

    // MARK: Summing up

    /// Adds the facts that the device itself has recorded to the summary.
    mutating func add(_ entries: [LedgerEntry]) {
        for entry in entries {
            sequence = max(sequence, entry.sequence)
            moment = max(moment, entry.moment.milliseconds)
            guard entry.device == nil else { continue }
            switch entry.fact {
            case .debit(let debit):
                wallets[debit.wallet, default: Sums()].add(spent: debit.amount)
            case .deposit(let deposit) where !deposit.isOfEveryCustomer:
                wallets[deposit.wallet, default: Sums()].add(given: deposit.amount)
            case .credit(let credit):
                credits[credit.purchaseID] = Credit(wallet: credit.wallet, units: credit.amount)
            case .revocation(let revocation):
                let before = credits[revocation.origin.purchaseID]?.refund?.units ?? 0
                let units = before.addingSaturated(revocation.debited?.amount ?? 0)
                credits[revocation.origin.purchaseID]?.refund = Refund(
                    units: units, signed: revocation.origin.signedDate.milliseconds)
            case .reinstatement(let reinstatement):
                credits[reinstatement.origin.purchaseID]?.refund = Refund(
                    units: 0, signed: reinstatement.origin.signedDate.milliseconds)
            case .grant: grants.append(EntryFields(fact: entry.fact, recordedAt: entry.moment))
            case .lock: locks.append(EntryFields(fact: entry.fact, recordedAt: entry.moment))
            default: continue
            }
            history = ((history ?? []) + [Step(entry, after: history?.last)]).suffix(Step.most)
        }
    }

    /// Returns the summary with only those units that were recorded after an earlier summary of the same device.
    /// Credits, grants and locks are included completely: their keys do not contain the device, so that they count
    /// once, and a credit may still be refunded.
    func subtracting(_ earlier: DeviceSummary) -> DeviceSummary {
        var rest = self
        for (wallet, sums) in earlier.wallets {
            rest.wallets[wallet]?.add(
                spent: sums.spent.negatedSaturated, given: sums.given.negatedSaturated)
            if rest.wallets[wallet] == Sums() { rest.wallets[wallet] = nil }
        }
        return rest
    }

    /// Returns the sequence number of the last fact that this summary and the summary of a copy of the device both contain;
    /// `nil` if the summaries have none in common.
    func lastFact(inCommonWith copy: DeviceSummary) -> Int64? {
        let steps = Set(copy.history ?? [])
        return history?.last { steps.contains($0) }?.sequence
    }

    /// Returns `true` if the summary can follow on another one of the same device, because it has everything that the other
    /// one has. Sums of a device only grow.
    func includes(_ earlier: DeviceSummary) -> Bool {
        func keys(_ summary: DeviceSummary) -> Set<[String]> {
            Set((summary.grants + summary.locks).map { [$0.kind, $0.key] })
        }
        return sequence >= earlier.sequence && keys(self).isSuperset(of: keys(earlier))
            && earlier.credits.keys.allSatisfy { credits[$0] != nil }
            && earlier.wallets.allSatisfy { wallet, sums in
                let own = wallets[wallet] ?? Sums()
                return own.spent >= sums.spent && own.given >= sums.given
            }
    }

    /// Returns the summary with each sum raised to that of another summary of the same device, if that is higher. Sums of a
    /// device only grow, and several devices may tell them.
    func raised(to other: Former) -> DeviceSummary {
        var raised = self
        raised.device = other.device
        raised.sequence = max(sequence, other.sequence)
        raised.moment = max(moment, other.moment)
        raised.wallets.merge(other.wallets) { own, other in
            Sums(spent: max(own.spent, other.spent), given: max(own.given, other.given))
        }
        return raised
    }

    /// Returns the facts that represent the difference between this summary and an earlier one of the same device. The
    /// key of each fact is derived from the summaries, so that the fact is recorded only once.
    ///
    /// - Parameters:
    ///   - applied: Summaries whose facts are recorded, by device identifier; among them the earlier one.
    ///   - isCreditedHere: Function that returns `true` for a purchase that this ledger itself has credited.
    func facts(
        after applied: [String: DeviceSummary],
        isCreditedHere: (_ purchaseID: String) async throws(LedgerError) -> Bool
    ) async throws(LedgerError) -> [Fact] {
        let earlier = applied[device] ?? DeviceSummary()
        var facts: [Fact] = []
        for (wallet, sums) in wallets.sorted(by: { $0.key < $1.key }) {
            let before = earlier.wallets[wallet] ?? Sums()
            if sums.given > before.given {
                facts.append(
                    .deposit(
                        Fact.Deposit(
                            token: "\(device) has given \(sums.given) to \(wallet)", wallet: wallet,
                            amount: sums.given.subtractingSaturated(before.given), reason: "given on another device")))
            }
            if sums.spent > before.spent {
                facts.append(
                    .debit(
                        Fact.Debit(
                            token: "\(device) has spent \(sums.spent) of \(wallet)", wallet: wallet,
                            amount: sums.spent.subtractingSaturated(before.spent))))
            }
        }
        for (purchaseID, credit) in credits.sorted(by: { $0.key < $1.key }) where credit != earlier.credits[purchaseID]
        {
            guard try await !isCreditedHere(purchaseID) else { continue }
            if earlier.credits[purchaseID] == nil {
                facts.append(
                    .deposit(.creditElsewhere(of: purchaseID, wallet: credit.wallet, amount: credit.units)))
            }
            let refunds = applied.values.compactMap { $0.credits[purchaseID]?.refund }
            if let fact = credit.refundFact(of: purchaseID, after: refunds.max()) { facts.append(fact) }
        }
        let known = Set((earlier.grants + earlier.locks).map { [$0.kind, $0.key] })
        return facts + (grants + locks).filter { !known.contains([$0.kind, $0.key]) }.compactMap(\.fact)
    }
}

extension DeviceSummary.Credit {
    /// Returns the fact that changes the units that refunds have removed in all; `nil` if they remain the same.
    ///
    /// - Parameter earlier: Statement that applies according to the recorded summaries.
    fileprivate func refundFact(of purchaseID: String, after earlier: DeviceSummary.Refund?) -> Fact? {
        guard let refund, earlier.map({ $0 < refund }) ?? true else { return nil }
        let change = refund.units.subtractingSaturated(earlier?.units ?? 0)
        let token = "refund of \(purchaseID) signed at \(refund.signed): \(refund.units)"
        if change > 0 { return .debit(Fact.Debit(token: token, wallet: wallet, amount: change)) }
        guard change < 0 else { return nil }
        return .deposit(
            Fact.Deposit(
                token: token, wallet: wallet, amount: change.negatedSaturated,
                reason: "a refund that another device has heard of was reversed or changed"))
    }
}
