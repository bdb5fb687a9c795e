package import VitrineEntitlements

/// Decision about facts that other devices have published.
package protocol ExchangeProof: Sendable {
    /// Prepares the verdicts on the entries of documents.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read.
    func verdicts(on entries: [LedgerEntry], areAllSealed: Bool) async throws(LedgerError) -> any ExchangeVerdicts
}

/// Verdicts on entries that other devices have published.
package protocol ExchangeVerdicts: Sendable {
    func verdict(on entry: LedgerEntry, isSealed: Bool) async -> ExchangeVerdict
}

package enum ExchangeVerdict: Sendable, Hashable {
    case proved
    case refused(String)
    /// The decision is left for the next exchange.
    case undetermined(String)
}
