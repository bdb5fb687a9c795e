package import VitrineEntitlements

/// Check of facts that other devices have published.
package protocol ExchangeProof: Sendable {
    /// Prepares the verdicts for the entries of documents.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read.
    func verdicts(on entries: [LedgerEntry], areAllSealed: Bool) async throws(LedgerError) -> any ExchangeVerdicts
}

/// Verdicts for the entries that other devices have published.
package protocol ExchangeVerdicts: Sendable {
    func verdict(on entry: LedgerEntry, isSealed: Bool) async -> ExchangeVerdict
}

package enum ExchangeVerdict: Sendable, Hashable {
    case proved
    case refused(String)
    /// The entry cannot be checked now. The next exchange checks it again.
    case undetermined(String)
}
