internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineEntitlements

/// Decision by signatures, seals, the loaded catalog and the app.
///
/// Data that the store has signed proves itself. What follows from it without being signed, and what devices record
/// without the store, counts if it is sealed with the customer's key. Otherwise the catalog has to confirm it, or the
/// app has to allow it.
struct ManagerExchangeProof: ExchangeProof {
    let manager: CatalogManager
    let isAllowed: @Sendable (LedgerEntry) async -> Bool

    func verdicts(
        on entries: [LedgerEntry], areAllSealed: Bool
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
            appVerification: manager.options.purchases.hooks.verification, entries: all, areMoved: true,
            now: manager.now())
        var catalog: CatalogProof?
        if !areAllSealed {
            catalog = CatalogProof(
                catalog: manager.state.snapshot.catalog, recorded: try await ledger.entries(after: 0),
                importing: entries)
        }
        return Verdicts(signatures: signatures, catalog: catalog, isAllowed: isAllowed)
    }

    private struct Verdicts: ExchangeVerdicts {
        let signatures: FactProof
        let catalog: CatalogProof?
        let isAllowed: @Sendable (LedgerEntry) async -> Bool

        func verdict(on entry: LedgerEntry, isSealed: Bool) async -> ExchangeVerdict {
            switch await signatures.judgment(on: entry.fact) {
            case .proved: break
            case .refuted(let reason): return .refused(reason)
            case .undetermined(let reason): return .undetermined(reason)
            }
            guard !isSealed, let doubt = catalog?.exactDoubt(about: entry.fact) ?? entry.fact.doubt else {
                return .proved
            }
            if await isAllowed(entry) { return .proved }
            // A later catalog may confirm it.
            return [.purchase, .credit, .term].contains(entry.fact.kind) ? .undetermined(doubt) : .refused(doubt)
        }
    }
}

extension Fact {
    /// Reason why a fact without a seal needs the app's leave although it gives the customer nothing; `nil` for facts
    /// that the store has signed, or that follow from them.
    fileprivate var doubt: String? {
        switch self {
        case .debit, .lock, .lease, .release: "the \(kind.rawValue) is not sealed with the customer's key"
        default: nil
        }
    }
}
