struct UnusedWalletRule: CrossProductRule {
    static let identifier = "unused-wallet"
    static let explanation =
        "A declared wallet that no product credits is often misspelled: its settings do not apply to the intended "
        + "wallet."

    /// Limits of spelling suggestions, which would take too long with more wallets or after more findings.
    private static let (mostWalletsForSuggestions, mostSuggestions) = (1_000, 20)

    func findings(in draft: CatalogDraft) -> [Finding] {
        guard !draft.wallets.keys.isEmpty else { return [] }
        let credited = Set(draft.list.withWallet.compactMap { draft.declarations[$0].product.wallet })
        let candidates = credited.count <= Self.mostWalletsForSuggestions ? credited.sorted() : []
        return draft.wallets.keys.filter { !credited.contains($0.value) }.enumerated().map { number, key in
            let suggestion =
                EditDistance.nearest(to: key.value, among: number < Self.mostSuggestions ? candidates : [])
                .map { "; did you mean \($0.quoted)?" } ?? ""
            return finding(
                .warning, "no product of the catalog credits the wallet \(key.value.quoted)\(suggestion)",
                at: key.position)
        }
    }
}
