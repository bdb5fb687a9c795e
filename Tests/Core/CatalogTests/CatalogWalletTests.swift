import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogWalletTests {
    private static let coins = CatalogProduct(
        identifier: "pack", kind: .consumable, storageKey: "coins", productValue: 50)

    private func wallets(_ content: String) throws -> [String: CatalogWallet] {
        let text = PlistText.document(
            "<dict><key>products</key><array>\(consumable("a"))</array><key>wallets</key><dict>\(content)</dict></dict>"
        )
        return Catalog(document: try PlistText.read(text)).wallets
    }

    @Test func `wallet settings are read from a catalog, and missing settings have default values`() throws {
        let wallets = try wallets(
            """
            <key>coins</key><dict><key>startingBalance</key><integer>10</integer>
            <key>refundPolicy</key><string>debt</string></dict>
            <key>gems</key><dict/><key>stars</key><dict><key>refundPolicy</key><string/></dict>
            """)

        #expect(
            wallets == [
                "coins": CatalogWallet(startingBalance: 10, refundPolicy: .debt),
                "gems": CatalogWallet(startingBalance: 0, refundPolicy: .clawback), "stars": CatalogWallet(),
            ])
    }

    @Test func `a wallet with an error is ignored, and the first of two wallets with the same name is used`() throws {
        let wallets = try wallets(
            """
            <key>coins</key><dict><key>startingBalance</key><integer>10</integer>
            <key>refundPolicy</key><string>keep</string></dict>
            <key>gems</key><dict><key>startingBalance</key><integer>1</integer></dict>
            <key>gems</key><dict><key>startingBalance</key><integer>2</integer></dict>
            <key></key><dict/><key>stars</key><true/>
            """)

        #expect(wallets == ["gems": CatalogWallet(startingBalance: 1)])
    }

    @Test func `a catalog without wallet settings has an empty dictionary of wallets`() throws {
        #expect(Catalog(products: [Self.coins]).wallets.isEmpty)
        #expect(Catalog(identifiers: ["a"]).wallets.isEmpty)
    }

    @Test func `wallets created in code are checked by the same rules as wallets in a file`() {
        let fine = ["coins": CatalogWallet(startingBalance: 5, refundPolicy: .ignore)]
        #expect(Catalog(products: [Self.coins], wallets: fine).wallets == fine)
        #expect(Catalog(products: [Self.coins], wallets: fine).diagnostics.isEmpty)

        let catalog = Catalog(
            products: [Self.coins],
            wallets: ["coins": CatalogWallet(startingBalance: -5), "": CatalogWallet(), "gems": CatalogWallet()])
        #expect(catalog.wallets == ["gems": CatalogWallet()])
        #expect(
            catalog.diagnostics.map { "\($0.severity) \($0.rule) \($0.message)" } == [
                "error root the dictionary wallets contains a wallet without a name",
                "error root startingBalance is -5, but must not be negative",
                #"warning unused-wallet no product of the catalog credits the wallet "gems""#,
            ])
    }
}
