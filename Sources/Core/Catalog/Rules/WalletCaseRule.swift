struct WalletCaseRule: CrossProductRule {
    static let identifier = "wallet-case"
    static let explanation =
        "Two wallets whose keys differ only in case are probably meant to be one. Units credited to one of them cannot "
        + "be spent from the other."

    func findings(in draft: CatalogDraft) -> [Finding] {
        guard Set(draft.list.wallets.map { $0.lowercased() }).count < draft.list.wallets.count else { return [] }
        var first: [String: Located<String>] = [:]
        // Most products share a few wallets.
        var fine: Set<String> = []
        return draft.list.withWallet.compactMap { index in
            let declaration = draft.declarations[index]
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
                .warning, "the wallet \(key.value.quoted) differs from \(earlier.value.quoted) only in case",
                at: key.position,
                notes: [Diagnostic.Note(message: "the other wallet is named here", position: earlier.position)])
        }
    }
}
