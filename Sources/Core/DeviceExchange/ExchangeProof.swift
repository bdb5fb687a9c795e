package import VitrineEntitlements

/// Verification of facts that other devices have published.
package protocol ExchangeProof: Sendable {
    /// Prepares the verification of entries in documents of other devices.
    ///
    /// - Parameter areSealed: `true` if the documents are sealed with the customer's key.
    /// - Throws: ``LedgerError`` if the ledger cannot be read.
    func verdicts(on entries: [LedgerEntry], areSealed: Bool) async throws(LedgerError) -> any ExchangeVerdicts
}

/// Verification of single entries that other devices have published.
package protocol ExchangeVerdicts: Sendable {
    func verdict(on entry: LedgerEntry) async -> ExchangeVerdict
}

package enum ExchangeVerdict: Sendable, Hashable {
    case proved
    case refused(String)
    /// The entry cannot be checked now. The next exchange checks it again.
    case undetermined(String)
}
