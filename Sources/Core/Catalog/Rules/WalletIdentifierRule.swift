struct WalletIdentifierRule: CrossProductRule {
    static let identifier = "wallet-identifier"
    static let explanation =
        "A wallet with the identifier of a product as its name is often a mistake: units are credited to a wallet that "
        + "the app does not use."

    func findings(in draft: CatalogDraft) -> [Finding] {
        guard draft.list.wallets.contains(where: { draft.list.firsts[$0] != nil }) else { return [] }
        return draft.list.withWallet.compactMap { index in
            let declaration = draft.declarations[index]
            // A product with the same name as its own wallet is intentional.
            guard let wallet = declaration.product.storageKey, let product = draft.list.firsts[wallet],
                draft.declarations[product].product.storageKey != wallet
            else { return nil }
            return finding(
                .warning, "the wallet \(wallet.quoted) has the name of another product",
                at: declaration.storageKey?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the product is declared here",
                        position: draft.declarations[product].identifier?.position)
                ])
        }
    }
}
