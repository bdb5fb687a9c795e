internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// App Store account to which a ledger belongs, which is stored beside the ledger's entries. If the app keeps the
/// purchases of all accounts in one ledger, the account that verified data has named last.
struct LedgerAccount: Codable, Sendable {
    /// Identifier by which the store distinguishes the customers of the app.
    let account: String
    /// `true` if the account has replaced another one in the same ledger, and the purchases that the store knows of it
    /// have not been read since.
    var isUnread: Bool?
}

extension StoredJSON<LedgerAccount> {
    static let account = StoredJSON(name: "app-store-account", description: "the details of the App Store account")
}

extension LedgerAccount {
    /// Number of the last entries that are read for an account if none is stored.
    private static let lastEntries: Int64 = 64

    /// Returns the account of a ledger: the stored one, or else the one that the last signed entry of this device names.
    ///
    /// - Returns: `nil` if neither names an account.
    static func of(_ ledger: any Ledger, _ summary: LedgerSummary) async throws(LedgerError) -> LedgerAccount? {
        if let stored = try await StoredJSON.account.value(in: ledger) { return stored }
        guard summary.lastSequence > 0 else { return nil }
        let last = try await ledger.entries(after: max(0, summary.lastSequence - lastEntries))
        if let account = last.lazy.reversed().filter({ $0.device == nil }).compactMap(\.fact.account).first {
            return LedgerAccount(account: account)
        }
        // The summary has no signed data, and no consumables.
        let signed = summary.entries.last { $0.device == nil && $0.fact.origin != nil && $0.fact.receiptDigest == nil }
        guard let signed else { return nil }
        let entry = try await ledger.entry(of: signed.fact.kind, key: signed.fact.key)
        return entry?.fact.account.map { LedgerAccount(account: $0) }
    }
}

extension LedgerError {
    /// Returns the error for facts that were signed for another account than that of the open ledger.
    static func otherAccount(_ account: String, ledgerOf own: String?) -> LedgerError {
        LedgerError(
            code: .otherAccount,
            reason: "the store has signed it for the App Store account \(account), and the open ledger is that of "
                + (own ?? "an unknown account"))
    }
}

extension Fact {
    /// App Store account for which the store has signed the data of the fact; `nil` if the fact is not signed, or the
    /// data does not name an account. The signature is not checked.
    var account: String? {
        let fields = EntryFields(fact: self, recordedAt: Date(timeIntervalSince1970: 0))
        return fields.signedData.flatMap(AppStoreAccount.identifier)
    }
}

enum AppStoreAccount {
    private struct Claim: Decodable {
        let appTransactionId: String?
    }

    /// Returns the account that signed data of the store names: a transaction, renewal information or an app
    /// transaction. The signature is not checked.
    static func identifier(in signedData: String) -> String? {
        UnverifiedJWS(signedData)?.decode(Claim.self)?.appTransactionId.flatMap { $0.isEmpty ? nil : $0 }
    }
}
