internal import PropertyList

struct WalletCaseRule: CrossProductRule {
    static let identifier = "wallet-case"
    static let explanation =
        "Two wallets whose keys differ by nothing but case are probably one, and what is bought for the one cannot be "
        + "spent from the other."

    func findings(in draft: CatalogDraft) -> [Finding] {
        var first: [String: Located<String>] = [:]
        return draft.declarations.compactMap(\.storageKey).compactMap { key in
            let folded = key.value.lowercased()
            guard let earlier = first[folded] else {
                first[folded] = key
                return nil
            }
            guard earlier.value != key.value else { return nil }
            return finding(
                .warning, "the wallet \(key.value.quoted) differs from \(earlier.value.quoted) by case alone",
                at: key.position,
                notes: [Diagnostic.Note(message: "the other one is named here", position: earlier.position)])
        }
    }
}
