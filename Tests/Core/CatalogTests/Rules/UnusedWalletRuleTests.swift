import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct UnusedWalletRuleTests {
    /// Returns a catalog of a consumable that credits the wallet `coins`, with the given wallets.
    private static func wallets(_ wallets: String) -> String {
        "<dict><key>wallets</key><dict>\(wallets)</dict><key>products</key><array>\(consumable("a"))</array></dict>"
    }

    @Test(arguments: [
        RuleCase(
            "a misspelt one", root: wallets("▸<key>coin</key><dict/>"),
            #"no product of the catalog credits the wallet "coin"; did you mean "coins"?"#, valid: ["a"]),
        RuleCase(
            "one of two", root: wallets("<key>coins</key><dict/>▸<key>emeralds</key><dict/>"),
            #"no product of the catalog credits the wallet "emeralds""#, valid: ["a"]),
        RuleCase(
            "one with an error", root: wallets("▸<key>emeralds</key><true/>"),
            #"no product of the catalog credits the wallet "emeralds""#, also: ["root"], valid: ["a"]),
        RuleCase("one that is credited", root: wallets("<key>coins</key><dict/>"), valid: ["a"]),
        RuleCase(
            "one that a product with an error credits",
            root: """
                <dict><key>wallets</key><dict><key>coins</key><dict/></dict><key>products</key><array>
                \(consumable("a", "<key>hosted</key><integer>7</integer>"))</array></dict>
                """, also: ["value-type"], valid: []),
        RuleCase("none", root: wallets(""), valid: ["a"]),
    ])
    func `a wallet that no product credits is reported, with a suggestion if it resembles a credited wallet`(
        _ test: RuleCase
    ) throws {
        try test.check("unused-wallet")
    }

    @Test func `only the first twenty unused wallets are reported with a spelling suggestion`() {
        let wallets = (10..<40).map { ("coin\($0)", CatalogWallet()) }
        let catalog = Catalog(
            products: [CatalogProduct(identifier: "a", kind: .consumable, storageKey: "coins", productValue: 5)],
            wallets: Dictionary(uniqueKeysWithValues: wallets))
        let messages = catalog.diagnostics.map(\.message)

        #expect(messages.count == 30)
        #expect(messages.filter { $0.hasSuffix(#"did you mean "coins"?"#) }.count == 20)
    }
}
