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

    /// Total numbers of units that the device has ever added to a wallet and spent from it.
    struct Sums: Codable, Sendable, Hashable {
        var spent = 0
        var given = 0
    }

    struct Credit: Codable, Sendable, Hashable {
        var wallet: String
        var units: Int
        /// Units that the last revocation has removed in all; `nil` if there are none, or it was reversed.
        var refund: Refund?
    }

    struct Refund: Codable, Sendable, Hashable {
        var units: Int
        /// Date of the revocation, in milliseconds since 1970.
        var date: Int64
        /// Refunded part of the price, in thousandths of a percent.
        var part: Int

        /// Text that identifies the refund in tokens, the same on all devices of the customer.
        func name(of purchaseID: String) -> String {
            "refund of \(purchaseID) on \(date)" + (part < 100_000 ? " (\(part))" : "")
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
    ) throws(DocumentError) -> (summary: DeviceSummary, isSealed: Bool) {
        let (body, isSealed) = try SealedBody.open(data, format: format, key: key)
        guard let summary = try? JSONDecoder().decodeForeign(DeviceSummary.self, from: body) else {
            throw .refused("its body is no summary in JSON")
        }
        guard summary.device == device else { throw .refused("its key is not that of its device") }
        let areAmounts =
            summary.wallets.values.allSatisfy { $0.spent >= 0 && $0.given >= 0 }
            && summary.credits.values.allSatisfy { $0.units > 0 && $0.refund?.units ?? 0 >= 0 }
        guard areAmounts, (summary.grants + summary.locks).allSatisfy(\.hasPossibleDates) else {
            throw .refused("a number or date in it is impossible")
        }
        return (summary, isSealed)
    }

    // MARK: Summing up

    /// Adds the facts that the device itself has recorded to the summary.
    mutating func add(_ entries: [LedgerEntry]) {
        for entry in entries {
            sequence = max(sequence, entry.sequence)
            moment = max(moment, entry.moment.milliseconds)
            guard entry.device == nil else { continue }
            switch entry.fact {
            case .debit(let debit): wallets[debit.wallet, default: Sums()].spent &+= debit.amount
            case .deposit(let deposit) where !deposit.isOfEveryCustomer:
                wallets[deposit.wallet, default: Sums()].given &+= deposit.amount
            case .credit(let credit):
                credits[credit.purchaseID] = Credit(wallet: credit.wallet, units: credit.amount)
            case .revocation(let revocation):
                let before = credits[revocation.origin.purchaseID]?.refund?.units ?? 0
                let units = before &+ (revocation.debited?.amount ?? 0)
                credits[revocation.origin.purchaseID]?.refund =
                    units == 0
                    ? nil
                    : Refund(
                        units: units, date: revocation.revocationDate.milliseconds, part: revocation.part)
            case .reinstatement(let reinstatement): credits[reinstatement.origin.purchaseID]?.refund = nil
            case .grant: grants.append(EntryFields(fact: entry.fact, recordedAt: entry.moment))
            case .lock: locks.append(EntryFields(fact: entry.fact, recordedAt: entry.moment))
            default: break
            }
        }
    }

    /// Returns the summary with only those units that were recorded after an earlier summary of the same device.
    /// Credits, grants and locks are included completely: their keys do not contain the device, so that they count
    /// once, and a credit may still be refunded.
    func subtracting(_ earlier: DeviceSummary) -> DeviceSummary {
        var rest = self
        for (wallet, sums) in earlier.wallets {
            rest.wallets[wallet]?.spent -= sums.spent
            rest.wallets[wallet]?.given -= sums.given
            if rest.wallets[wallet] == Sums() { rest.wallets[wallet] = nil }
        }
        return rest
    }

    /// Returns the facts that represent the difference between this summary and an earlier one of the same device. The
    /// key of each fact is derived from the two summaries, so that the fact is recorded only once.
    ///
    /// - Parameter isCreditedHere: Function that returns `true` for a purchase that this ledger itself has credited.
    func facts(
        since earlier: DeviceSummary, isCreditedHere: (_ purchaseID: String) async throws(LedgerError) -> Bool
    ) async throws(LedgerError) -> [Fact] {
        var facts: [Fact] = []
        for (wallet, sums) in wallets.sorted(by: { $0.key < $1.key }) {
            let before = earlier.wallets[wallet] ?? Sums()
            if sums.given > before.given {
                facts.append(
                    .deposit(
                        Fact.Deposit(
                            token: "\(device) has given \(sums.given) to \(wallet)", wallet: wallet,
                            amount: sums.given - before.given, reason: "given on another device")))
            }
            if sums.spent > before.spent {
                facts.append(
                    .debit(
                        Fact.Debit(
                            token: "\(device) has spent \(sums.spent) of \(wallet)", wallet: wallet,
                            amount: sums.spent - before.spent)))
            }
        }
        for (purchaseID, credit) in credits.sorted(by: { $0.key < $1.key }) where credit != earlier.credits[purchaseID]
        {
            guard try await !isCreditedHere(purchaseID) else { continue }
            facts += credit.facts(of: purchaseID, since: earlier.credits[purchaseID])
        }
        let known = Set((earlier.grants + earlier.locks).map { [$0.kind, $0.key] })
        return facts + (grants + locks).filter { !known.contains([$0.kind, $0.key]) }.compactMap(\.fact)
    }
}

extension DeviceSummary.Credit {
    fileprivate func facts(of purchaseID: String, since earlier: DeviceSummary.Credit?) -> [Fact] {
        var facts: [Fact] = []
        if earlier == nil {
            facts.append(.deposit(.creditElsewhere(of: purchaseID, wallet: wallet, amount: units)))
        }
        guard refund != earlier?.refund else { return facts }
        if let before = earlier?.refund, before.units > 0 {
            facts.append(
                .deposit(
                    Fact.Deposit(
                        token: "\(before.name(of: purchaseID)) reversed", wallet: wallet, amount: before.units,
                        reason: "a refund that another device has heard of was reversed or changed")))
        }
        if let refund, refund.units > 0 {
            facts.append(
                .debit(
                    Fact.Debit(token: refund.name(of: purchaseID), wallet: wallet, amount: refund.units)))
        }
        return facts
    }
}
