internal import Foundation
internal import VitrineCatalog
public import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension CatalogManager.LedgerAccess {
    /// Checks the integrity of the ledger: the file is intact, the reported ownership and balances agree with the
    /// entries, each entry changes a wallet by the number of units that earlier entries require, each signature is
    /// valid, and there is no loss to be settled.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func check() async throws(LedgerError) -> LedgerCheck {
        var check = LedgerCheck()
        check.damage = try await (manager.entitlements.ledger as? HomeLedger)?.damage() ?? []
        await manager.state.refreshOrReport()
        let shown = manager.state.snapshot.entitlements
        let entries = try await manager.entitlements.ledger.entries(after: 0).filter {
            $0.sequence <= shown.lastSequence
        }
        check.damage += entries.missing
        check.entries = entries.count
        let rebuilt = try EntitlementSnapshot(
            catalog: shown.catalog, entries: entries, at: shown.date, check: shown.check,
            renewalLeeway: manager.options.purchases.renewalLeewaySeconds)
        check.differences = shown.differences(from: rebuilt)
        check.wrongAmounts = WalletAudit(entries).problems
        check.loss = rebuilt.loss
        // The current decision of the app's own server does not affect whether the data was signed.
        let proof = await FactProof(
            verifier: manager.verifier, receiptVerifier: manager.options.purchases.receipts?.verifier,
            appVerification: nil,
            entries: entries,
            areMoved: false)
        for entry in entries {
            if let problem = await proof.problem(with: entry.fact) {
                check.untrusted.append(LedgerCheck.Untrusted(sequence: entry.sequence, reason: problem))
            }
        }
        if let catalog = shown.catalog {
            let untrusted = Set(check.untrusted.map(\.sequence))
            let trusted = entries.filter { !untrusted.contains($0.sequence) }
            check.remarks = trusted.creditsThatDiffer(from: catalog) + trusted.durationsThatDiffer(from: catalog)
        }
        return check
    }

    /// Repairs a damaged ledger. A ledger that cannot be repaired is set aside and replaced by a new one: ``loss`` then
    /// describes the loss.
    ///
    /// - Returns: Descriptions of the damage; empty for an intact ledger, which is left as it is.
    /// - Throws: `LedgerError` if the ledger cannot be read or written.
    public func repair() async throws(LedgerError) -> [String] {
        guard let ledger = manager.entitlements.ledger as? HomeLedger else { return [] }
        let damage: [String]
        do {
            damage = try await ledger.damage()
        } catch  where error.code == .damaged {
            damage = [error.reason]
        }
        if !damage.isEmpty { try await ledger.repair() }
        return damage
    }
}

extension CatalogManager {
    /// Verifies the first signed entry of the ledger, once, and reports by an event if the store has not signed it.
    /// Ownership does not change in this case, because an app with another root certificate, environment or bundle
    /// identifier than before cannot verify a genuine ledger either.
    func verifyFirstSignedEntry() async {
        guard let first = unverifiedEntry else { return }
        unverifiedEntry = nil
        do throws(LedgerError) {
            guard let entry = try await entitlements.ledger.entry(of: first.kind, key: first.key),
                let origin = entry.fact.origin,
                case .rejected(let reasons) = await verifier.verify(transaction: origin.signedData)
            else { return }
            state.send(
                .ledger(
                    .notTrusted(LedgerCheck.Untrusted(sequence: entry.sequence, reason: reasons.joinedReasons))))
        } catch {
            state.entitlementsNotRefreshed(error)
        }
    }
}

/// Result of the check of a ledger.
public struct LedgerCheck: Sendable, Hashable {
    /// Entry whose signed data is not valid.
    public struct Untrusted: Sendable, Hashable {
        public let sequence: Int64
        /// Reason why the signed data of the entry is not valid, in lower case and without a period.
        public let reason: String
    }

    /// Number of ledger entries that were checked.
    public internal(set) var entries = 0
    /// Descriptions of damage to the ledger's file, as reported by SQLite, and of missing entries.
    public internal(set) var damage: [String] = []
    /// Descriptions of ownership and balances that differ from the values computed from the entries.
    public internal(set) var differences: [String] = []
    /// Descriptions of entries that change a wallet by another number of units than earlier entries require.
    public internal(set) var wrongAmounts: [String] = []
    public internal(set) var untrusted: [Untrusted] = []
    /// Loss of an earlier ledger that is not settled, so that balances are unknown.
    public internal(set) var loss: Fact.Loss?
    /// Descriptions of credits, and of durations of non-renewing subscriptions, that differ from the loaded catalog. They
    /// are not errors, because the catalog may have changed since.
    public internal(set) var remarks: [String] = []

    /// `true` if the check found no errors and no loss that has to be settled.
    public var isGood: Bool {
        damage.isEmpty && differences.isEmpty && wrongAmounts.isEmpty && untrusted.isEmpty && loss == nil
    }
}

extension [LedgerEntry] {
    /// Descriptions of missing entries: gaps in the sequence numbers, credits without their purchase, and facts without
    /// the receipt that they were read from.
    fileprivate var missing: [String] {
        var problems: [String] = []
        var next: Int64 = 1
        var bought: Set<String> = []
        var receipts: Set<String> = []
        for entry in self {
            if entry.sequence == next + 1 { problems.append("entry \(next) is missing") }
            if entry.sequence > next + 1 { problems.append("entries \(next) to \(entry.sequence - 1) are missing") }
            next = entry.sequence + 1
            switch entry.fact {
            case .purchase(let purchase): bought.insert(purchase.origin.purchaseID)
            case .receipt(let receipt): receipts.insert(receipt.digest)
            case .credit(let credit) where !bought.contains(credit.purchaseID):
                problems.append(
                    "entry \(entry.sequence) credits the purchase \(credit.purchaseID), which is not recorded")
            default: break
            }
            if let digest = entry.fact.receiptDigest, !receipts.contains(digest) {
                problems.append("entry \(entry.sequence) was read from a receipt that is not recorded before it")
            }
        }
        return problems
    }

    /// Returns descriptions of the credits that differ from what the catalog credits for their purchases.
    fileprivate func creditsThatDiffer(from catalog: Catalog) -> [String] {
        var purchases: [String: Fact.Purchase] = [:]
        return compactMap { entry in
            if case .purchase(let purchase) = entry.fact { purchases[purchase.origin.purchaseID] = purchase }
            guard case .credit(let credit) = entry.fact, let purchase = purchases[credit.purchaseID] else { return nil }
            let present = Fact.Credit(for: purchase, under: catalog)?.units
            guard credit.units != present else { return nil }
            return "entry \(entry.sequence) credits \(credit.units) for \(purchase.productIdentifier), but the loaded "
                + "catalog credits \(present ?? "nothing")"
        }
    }

    /// Returns descriptions of the non-renewing subscriptions that are recorded with another duration than the catalog
    /// gives for their purchases.
    fileprivate func durationsThatDiffer(from catalog: Catalog) -> [String] {
        compactMap { entry -> String? in
            guard case .purchase(let purchase) = entry.fact, purchase.kind == .nonRenewingSubscription,
                let recorded = purchase.period?.expirationDate, let product = catalog[purchase.productIdentifier],
                let end = product.durations.end(boughtAt: purchase.purchaseDate, quantity: purchase.quantity),
                end.milliseconds != recorded.milliseconds
            else { return nil }
            func days(_ end: Date) -> String {
                (end.timeIntervalSince(purchase.purchaseDate) / 86_400)
                    .formatted(.number.precision(.fractionLength(0...2)).locale(Locale(identifier: "en_US")))
            }
            return "entry \(entry.sequence) records \(days(recorded)) days of \(purchase.productIdentifier), but the "
                + "loaded catalog gives \(days(end)) for the purchase"
        }
    }
}

extension EntitlementSnapshot {
    fileprivate func differences(from other: EntitlementSnapshot) -> [String] {
        var differences: [String] = []
        for product in Set(owned).symmetricDifference(other.owned).sorted() {
            differences.append(
                "\(product) is shown as \(isOwned(product) ? "owned" : "not owned"), "
                    + "contrary to the entries of the ledger"
            )
        }
        for wallet in Set(balances.keys).union(other.balances.keys).sorted()
        where balances[wallet, default: 0] != other.balances[wallet, default: 0] {
            differences.append(
                "the wallet \"\(wallet)\" is shown with \(balances[wallet, default: 0]), "
                    + "but the entries of the ledger add up to "
                    + "\(other.balances[wallet, default: 0])")
        }
        return differences
    }
}
