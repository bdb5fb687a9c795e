internal import Foundation
internal import VitrineCatalog
public import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineFileSystem

extension CatalogManager.LedgerAccess {
    /// Returns the other App Store accounts for which a product is owned: the accounts that have bought it on this
    /// device, or, with ``AccountPolicy/separate``, the accounts whose ledgers on this device say that it is owned. The
    /// result contains the identifiers that the store signs; it is empty while the present account is unknown.
    ///
    /// The call may read the ledgers of all accounts. Use it to explain one product to the customer, and not for each
    /// product of a screen.
    ///
    /// - Throws: `LedgerError` if a ledger cannot be read.
    public func otherAccounts(owning identifier: String) async throws(LedgerError) -> [String] {
        guard let present = manager.state.account else { return [] }
        let owners =
            if let ledger = manager.separateLedger {
                try await owners(of: identifier, notIn: ledger.place)
            } else {
                try await buyers(of: identifier)
            }
        return Set(owners).subtracting([present]).sorted()
    }

    /// Returns the accounts that have bought a product, or the bundles because of which it is owned.
    private func buyers(of identifier: String) async throws(LedgerError) -> [String] {
        let transactions = explanation(of: identifier).chain.flatMap { $0.ownership.transactions }
        guard !transactions.isEmpty else { return [] }
        return try await history().compactMap { entry in
            guard case .purchase(let purchase) = entry.fact, transactions.contains(purchase.origin.transactionID) else {
                return nil
            }
            return entry.fact.account
        }
    }

    /// Returns the accounts whose ledgers own a product, except the one whose ledger is open.
    private func owners(of identifier: String, notIn open: Home) async throws(LedgerError) -> [String] {
        let places: [Home]
        do {
            places = try manager.home.places.filter { $0 != open && !BoundedFile.isMissingOrEmpty($0.ledger) }
        } catch {
            throw LedgerError(code: .unavailable, reason: "\(error.path): \(error.reason)")
        }
        let isReadOnly = LedgerError(code: .unavailable, reason: "the ledger of another App Store account is only read")
        var owners: [String] = []
        for place in places {
            let ledger = try SQLiteLedger(readOnlyCopyOf: place.ledger, because: isReadOnly)
            let summary = try await ledger.summary()
            let entitlements = EntitlementSnapshot(
                catalog: manager.state.snapshot.catalog, summary: summary, at: manager.now(),
                check: try await AccountValues(of: ledger, in: manager.home).check,
                renewalLeeway: manager.options.purchases.renewalLeewaySeconds)
            guard entitlements.isOwned(identifier), let owner = try await LedgerAccount.of(ledger, summary) else {
                continue
            }
            owners.append(owner.account)
        }
        return owners
    }
}

extension Ownership {
    /// Transactions because of which the product itself is owned, or was contained in a bundle at its purchase.
    fileprivate var transactions: [String] {
        guard case .owned(let reasons) = self else { return [] }
        return reasons.compactMap { reason in
            switch reason {
            case .transaction(let own): own.id
            case .formerBundle(_, let transaction, _): transaction
            case .grant, .bundle: nil
            }
        }
    }
}
