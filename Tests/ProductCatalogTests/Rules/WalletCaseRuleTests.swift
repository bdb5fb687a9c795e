import ProductCatalog
import TestSupport
import Testing

@Suite struct WalletCaseRuleTests {
    private func pack(_ identifier: String, wallet: String) -> String {
        """
        <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
        <key>productValue</key><integer>5</integer><key>storageKey</key>\(wallet)</dict>
        """
    }

    @Test func `wallets that differ by case alone are told, with the first`() throws {
        let marked = MarkedText(
            PlistText.document(
                "<array>" + pack("a", wallet: "▸<string>coins</string>") + pack("b", wallet: "▸<string>Coins</string>")
                    + pack("c", wallet: "<string>coins</string>") + pack("d", wallet: "<string>gems</string>")
                    + "</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map(\.rule) == ["wallet-case"])
        #expect(catalog.diagnostics.first?.message == #"the wallet "Coins" differs from "coins" by case alone"#)
        #expect(catalog.diagnostics.first?.position == marked.positions[1])
        #expect(catalog.diagnostics.first?.notes.first?.position == marked.positions[0])
        #expect(catalog.products.count == 4)
    }
}
