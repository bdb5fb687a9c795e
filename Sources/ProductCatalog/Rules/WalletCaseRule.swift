internal import PropertyList

struct WalletCaseRule: CrossProductRule {
    static let identifier = "wallet-case"
    static let explanation =
        "Two wallets whose keys differ by nothing but case are probably one, and what is bought for the one cannot be "
        + "spent from the other."

    func findings(in draft: CatalogDraft) -> [Finding] {
        var first: [String: Located<String>] = [:]
        // Most products share a few wallets.
        var fine: Set<String> = []
        return draft.declarations.compactMap { declaration in
            guard let wallet = declaration.product.storageKey, !fine.contains(wallet),
                let key = declaration.storageKey
            else { return nil }
            let folded = wallet.lowercased()
            guard let earlier = first[folded] else {
                first[folded] = key
                fine.insert(wallet)
                return nil
            }
            return finding(
                .warning, "the wallet \(key.value.quoted) differs from \(earlier.value.quoted) by case alone",
                at: key.position,
                notes: [Diagnostic.Note(message: "the other one is named here", position: earlier.position)])
        }
    }
}
