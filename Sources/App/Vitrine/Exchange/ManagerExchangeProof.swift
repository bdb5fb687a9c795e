internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineEntitlements

/// Verification of exchanged entries by signatures, seals, the loaded catalog and the app.
///
/// Data with a valid signature of the store needs no other proof. Unsigned consequences of signed data, and facts that
/// devices record without the store, are accepted if they are sealed with the customer's key. Otherwise the catalog has
/// to confirm them, or the app has to allow them.
struct ManagerExchangeProof: ExchangeProof {
    let manager: CatalogManager
    let isAllowed: @Sendable (LedgerEntry) async -> Bool

    func verdicts(
        on entries: [LedgerEntry], areSealed: Bool
    ) async throws(LedgerError) -> any ExchangeVerdicts {
        let ledger = manager.entitlements.ledger
        var all = entries
        // A receipt may have been recorded from another document before.
        let given = Set(entries.lazy.filter { $0.fact.kind == .receipt }.map(\.fact.key))
        for digest in Set(entries.compactMap(\.fact.receiptDigest)).subtracting(given) {
            if let receipt = try await ledger.entry(of: .receipt, key: digest) { all.append(receipt) }
        }
        let signatures = await FactProof(
            verifier: manager.verifier, receiptVerifier: manager.options.purchases.receipts?.verifier,
            appVerification: manager.options.purchases.hooks.verification, entries: all, areMoved: true)
        var catalog: CatalogProof?
        if !areSealed {
            catalog = CatalogProof(
                catalog: manager.state.snapshot.catalog, recorded: try await ledger.entries(after: 0),
                importing: entries)
        }
        return Verdicts(signatures: signatures, catalog: catalog, areSealed: areSealed, isAllowed: isAllowed)
    }

    private struct Verdicts: ExchangeVerdicts {
        let signatures: FactProof
        let catalog: CatalogProof?
        let areSealed: Bool
        let isAllowed: @Sendable (LedgerEntry) async -> Bool

        func verdict(on entry: LedgerEntry) async -> ExchangeVerdict {
            switch await signatures.judgment(on: entry.fact) {
            case .proved: break
            case .refuted(let reason): return .refused(reason)
            case .undetermined(let reason): return .undetermined(reason)
            }
            guard !areSealed, let doubt = catalog?.exactDoubt(about: entry.fact) ?? entry.fact.doubt else {
                return .proved
            }
            if await isAllowed(entry) { return .proved }
            // A later catalog may confirm the fact.
            return [.purchase, .credit, .term].contains(entry.fact.kind) ? .undetermined(doubt) : .refused(doubt)
        }
    }
}

extension Fact {
    /// Reason why an unsealed fact needs the app's permission although it gives the customer nothing; `nil` for facts
    /// that the store has signed, or that follow from signed data.
    fileprivate var doubt: String? {
        switch self {
        case .debit, .lock, .lease, .release: "the \(kind.rawValue) is not sealed with the customer's key"
        default: nil
        }
    }
}
