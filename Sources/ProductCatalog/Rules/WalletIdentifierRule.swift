internal import PropertyList

struct WalletIdentifierRule: CrossProductRule {
    static let identifier = "wallet-identifier"
    static let explanation =
        "A wallet that is called like a product is often a slip: the value is credited to it, and nobody looks for it "
        + "there."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.compactMap { declaration in
            // A product that is called like its own wallet means it.
            guard let wallet = declaration.product.storageKey, let product = draft.firstDeclarations[wallet],
                draft.declarations[product].product.storageKey != wallet
            else { return nil }
            return finding(
                .warning, "the wallet \(wallet.quoted) is called like another product",
                at: declaration.storageKey?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the product is declared here",
                        position: draft.declarations[product].identifier?.position)
                ])
        }
    }
}
