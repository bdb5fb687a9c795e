import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct RootRuleTests {
    private static let notADictionaryOfProducts =
        "a dictionary must contain the key \"products\", be a catalog of MKStoreKit or StoreHelper, or contain only "
        + "product identifiers such as \"com.example.premium\", each with a string"
    private static let notACatalog =
        "a catalog must be an array of product dictionaries or identifiers, or a dictionary with \"products\", "
        + "but this is "

    /// Returns a catalog of the product `a`, with further keys at the root.
    private static func root(_ keys: String) -> String {
        "<dict><key>products</key><array><string>a</string></array>\n\(keys)</dict>"
    }

    /// Returns a catalog of a consumable that credits the wallet `coins`, with the given value of the key `wallets`.
    private static func wallets(_ wallets: String) -> String {
        "<dict><key>products</key><array>\(consumable("a"))</array>\n<key>wallets</key>\(wallets)</dict>"
    }

    @Test(arguments: [
        RuleCase("a dictionary of nothing", root: "▸<dict/>", notADictionaryOfProducts, valid: []),
        RuleCase(
            "any other dictionary", root: "▸<dict><key>a</key><string>b</string></dict>", notADictionaryOfProducts,
            valid: []),
        RuleCase("a text", root: "▸<string>a</string>", notACatalog + "a string", valid: []),
        RuleCase("a truth", root: "▸<true/>", notACatalog + "true or false", valid: []),
        RuleCase(
            "a product that is a number", root: "<array>▸<integer>1</integer><string>a</string></array>",
            "a product must be a dictionary or an identifier, but this is an integer", valid: ["a"]),
        RuleCase(
            "a product that is a number, in a dictionary",
            root: "<dict><key>products</key><array><string>a</string>▸<real>1.5</real></array></dict>",
            "a product must be a dictionary or an identifier, but this is a real", valid: ["a"]),
        RuleCase(
            "products of Vitrine under a key of StoreHelper",
            root: "<dict>▸<key>Products</key><array>\(consumable("a"))</array></dict>",
            #"the catalog has the unknown key "Products"; did you mean "products"?"#, valid: []),
        RuleCase(
            "products under a key without a letter",
            root:
                "<dict><key>catalogVersion</key><integer>3</integer>▸<key>prodcts</key><array>\(consumable("a"))</array>"
                + "</dict>",
            #"the catalog has the unknown key "prodcts"; did you mean "products"?"#, valid: []),
        RuleCase(
            "one product under a key in the singular", root: "<dict>▸<key>product</key>\(consumable("a"))</dict>",
            #"the catalog has the unknown key "product"; did you mean "products"?"#, valid: []),
        RuleCase(
            "texts without an identifier",
            root: "▸<dict><key>CFBundleName</key><string>a</string><key>API_KEY</key><string>b</string></dict>",
            notADictionaryOfProducts, valid: []),
        RuleCase(
            "identifiers with dictionaries", root: "▸<dict><key>com.example.a</key><dict/></dict>",
            notADictionaryOfProducts, valid: []),
        RuleCase(
            "an identifier among other keys",
            root: "▸<dict><key>com.example.a</key><string>a</string><key>premium</key><string>b</string></dict>",
            notADictionaryOfProducts + #", but the key "premium" does not look like one"#, valid: []),
        RuleCase(
            "an identifier with a number",
            root: "▸<dict><key>com.example.a</key><string>a</string><key>com.example.b</key><true/></dict>",
            notADictionaryOfProducts + #", but the value of "com.example.b" is true or false"#, valid: []),
        RuleCase(
            "others that are none", root: "<dict><key>Others</key>▸<string>a</string></dict>",
            #""Others" must be an array, but this is a string"#, valid: []),
        RuleCase(
            "consumables that are none", root: "<dict><key>Consumables</key>▸<array/></dict>",
            #""Consumables" must be a dictionary, but this is an array"#, valid: []),
        RuleCase(
            "a consumable of MKStoreKit that is none",
            root: "<dict><key>Consumables</key><dict><key>eggs</key>▸<integer>500</integer></dict>"
                + "<key>Others</key><array><string>a</string></array></dict>",
            #""eggs" must be a dictionary with ConsumableId and ConsumableCount, but this is an integer"#, valid: ["a"]),
        RuleCase(
            "a group of subscriptions that is none",
            root: "<dict><key>Products</key><array><string>a</string></array><key>Subscriptions</key><array>"
                + "▸<string>gold</string></array></dict>",
            #"a subscription group must be a dictionary with the array "Products""#, valid: ["a"]),
        RuleCase(
            "dictionaries in a file of StoreHelper",
            root: "<dict><key>Products</key><array>▸<dict><key>productIdentifier</key><string>a</string></dict></array>"
                + "<key>Subscriptions</key><array><dict><key>Products</key><array><string>b</string></array></dict></array>"
                + "</dict>",
            "a product in a file of StoreHelper is an identifier, but this is a dictionary: "
                + "dictionaries belong into a catalog with the key \"products\"", valid: ["b"]),
        RuleCase(
            "grandfathering twice",
            root: root(
                "<key>grandfathering</key><dict><key>a</key><dict><key>beforeBuild</key><string>2</string></dict>"
                    + "▸<key>a</key><dict><key>beforeBuild</key><string>3</string></dict></dict>"),
            #"the dictionary grandfathering names "a" twice"#, valid: ["a"]),
        RuleCase(
            "products that are none", root: "<dict><key>products</key>▸<string>a</string></dict>",
            "products must be an array, but this is a string", valid: []),
        RuleCase(
            "a version that is none", root: root("<key>catalogVersion</key>▸<string>7</string>"),
            "catalogVersion must be an integer, but this is a string", valid: ["a"]),
        RuleCase(
            "an end that is none", root: root("<key>expires</key>▸<true/>"),
            "expires must be a date, but this is true or false", valid: ["a"]),
        RuleCase(
            "a key twice", root: root("▸<key>products</key><array/>"),
            #"the key "products" is repeated in the catalog"#, valid: ["a"]),
        RuleCase(
            "rules that are none", root: root("<key>grandfathering</key>▸<array/>"),
            "grandfathering must be a dictionary, but this is an array", valid: ["a"]),
        RuleCase(
            "rules for nobody", root: root("<key>grandfathering</key><dict>▸<key>b</key><dict/></dict>"),
            #"the dictionary grandfathering names "b", which is not a product of the catalog"#, valid: ["a"]),
        RuleCase(
            "a rule that is none", root: root("<key>grandfathering</key><dict><key>a</key>▸<true/></dict>"),
            "a grandfathering rule must be a dictionary or an array of them", valid: ["a"]),
        RuleCase(
            "no rule among the rules", root: root("<key>grandfathering</key><dict><key>a</key>▸<array/></dict>"),
            "a grandfathering rule must be a dictionary or an array of them", valid: ["a"]),
        RuleCase("an array of nothing", root: "<array/>", also: ["no-products"], valid: []),
        RuleCase(
            "a dictionary with products of nothing", root: "<dict><key>products</key><array/></dict>",
            also: ["no-products"], valid: []),
        RuleCase(
            "a version and an end",
            root: root(
                "<key>catalogVersion</key><integer>7</integer><key>expires</key><date>2027-01-01T00:00:00Z</date>"),
            valid: ["a"]),
        RuleCase(
            "a key that nobody knows", root: root("<key>weather</key><true/>"), also: ["unknown-key"], valid: ["a"]),
    ])
    func `errors at the root of a catalog are reported at their position`(_ test: RuleCase) throws {
        try test.check("root", severity: .error)
    }

    @Test(arguments: [
        RuleCase("an array", root: "▸<array/>", "the catalog contains no products", valid: []),
        RuleCase(
            "a dictionary", root: "<dict><key>products</key>▸<array/></dict>", "the catalog contains no products",
            valid: []),
        RuleCase(
            "a file of MKStoreKit", root: "▸<dict><key>Others</key><array/></dict>", "the catalog contains no products",
            valid: []),
        RuleCase("one product", root: "<array><string>a</string></array>", valid: ["a"]),
        RuleCase(
            "products with errors only", root: "<array><dict/></array>", also: ["missing-identifier", "missing-kind"],
            valid: []),
    ])
    func `a catalog without products is reported`(_ test: RuleCase) throws {
        try test.check("no-products")
    }

    @Test(arguments: [
        RuleCase(
            "no dictionary", root: wallets("▸<array/>"), "wallets must be a dictionary, but this is an array",
            valid: ["a"]),
        RuleCase(
            "a wallet that is none", root: wallets("<dict><key>coins</key>▸<integer>5</integer></dict>"),
            "a wallet must be a dictionary, but this is an integer", valid: ["a"]),
        RuleCase(
            "a wallet twice", root: wallets("<dict><key>coins</key><dict/>▸<key>coins</key><dict/></dict>"),
            #"the dictionary wallets names "coins" twice"#, valid: ["a"]),
        RuleCase(
            "no name", root: wallets("<dict>▸<key></key><dict/></dict>"),
            "the dictionary wallets contains a wallet without a name",
            valid: ["a"]),
        RuleCase(
            "below zero",
            root: wallets("<dict><key>coins</key><dict><key>startingBalance</key>▸<integer>-1</integer></dict></dict>"),
            "startingBalance is -1, but must not be negative", valid: ["a"]),
        RuleCase(
            "a balance in words",
            root: wallets("<dict><key>coins</key><dict><key>startingBalance</key>▸<string>5</string></dict></dict>"),
            "startingBalance must be an integer, but this is a string", valid: ["a"]),
        RuleCase(
            "a balance of 2^63",
            root: wallets(
                "<dict><key>coins</key><dict><key>startingBalance</key>▸<integer>9223372036854775808</integer></dict>"
                    + "</dict>"),
            "startingBalance must be below 2^63", valid: ["a"]),
        RuleCase(
            "a policy that nobody knows",
            root: wallets("<dict><key>coins</key><dict><key>refundPolicy</key>▸<string>Debt</string></dict></dict>"),
            #""Debt" is not one of the refund policies clawback, debt, ignore"#, valid: ["a"]),
        RuleCase(
            "a policy that is none",
            root: wallets("<dict><key>coins</key><dict><key>refundPolicy</key>▸<true/></dict></dict>"),
            "refundPolicy must be a string, but this is true or false", valid: ["a"]),
        RuleCase(
            "two things wrong with one",
            root: wallets(
                "<dict><key>coins</key><dict><key>refundPolicy</key>▸<string>a</string><key>startingBalance</key>"
                    + "▸<real>1.5</real></dict></dict>"),
            #""a" is not one of the refund policies clawback, debt, ignore"#,
            "startingBalance must be an integer, but this is a real", valid: ["a"]),
        RuleCase(
            "a key twice in a wallet",
            root: wallets(
                "<dict><key>coins</key><dict><key>refundPolicy</key><string>debt</string><key>refundPolicy</key>"
                    + "<string>debt</string></dict></dict>"), also: ["duplicate-key"], valid: ["a"]),
        RuleCase(
            "a policy without text",
            root: wallets("<dict><key>coins</key><dict><key>refundPolicy</key><string/></dict></dict>"),
            also: ["empty-string"], valid: ["a"]),
        RuleCase(
            "a secret",
            root: wallets("<dict><key>coins</key><dict><key>secretKey</key><string>x</string></dict></dict>"),
            also: ["secret"], valid: ["a"]),
        RuleCase(
            "nothing wrong",
            root: wallets(
                "<dict><key>coins</key><dict><key>startingBalance</key><integer>0</integer><key>refundPolicy</key>"
                    + "<string>ignore</string></dict></dict>"), valid: ["a"]),
    ])
    func `errors in the wallet settings of a catalog are reported at their position`(_ test: RuleCase) throws {
        try test.check("root", severity: .error)
    }

    @Test func `a catalog with more than 1000 wallets is reported, and its wallets are ignored`() throws {
        let wallets = (0...1_000).map { "<key>w\($0)</key><dict/>" }.joined()
        let text = PlistText.document(Self.wallets("<dict>\(wallets)</dict>"))
        let catalog = Catalog(document: try PlistText.read(text))

        #expect(catalog.diagnostics.map(\.message) == ["a catalog may contain at most 1000 wallets, not 1001"])
        #expect(catalog.wallets.isEmpty)
    }

    @Test func `a catalog with more than 200000 products is refused with a single error`() throws {
        let text = PlistText.document("<array>\(String(repeating: "<true/>", count: 200_001))</array>")
        let catalog = Catalog(document: try PlistText.read(text))

        #expect(catalog.diagnostics.map(\.rule) == ["root"])
        #expect(
            catalog.diagnostics.map(\.message) == ["a catalog may contain at most 200000 products, not 200001"])
        #expect(catalog.diagnostics.map(\.position) == MarkedText(PlistText.document("▸")).positions)
    }

    @Test(arguments: [
        RuleCase(
            "MKStoreKit",
            root: """
                <dict><key>Others</key><array><string>a</string></array>
                ▸<key>Weather</key><true/>
                ▸<key>Non-Consumables-batch</key><dict><key>b</key><array/></dict></dict>
                """,
            #""Weather" is not supported in a file of MKStoreKit"#,
            #""Non-Consumables-batch" is not supported in a file of MKStoreKit; its products can be added as "#
                + "childProducts to a catalog", valid: ["a"]),
        RuleCase(
            "MKStoreKit, with a batch of nothing",
            root: """
                <dict><key>Others</key><array><string>a</string></array>
                <key>Non-Consumables-batch</key><dict/></dict>
                """, valid: ["a"]),
        RuleCase(
            "dictionaries with an identifier under another name",
            root: "<dict><key>Products</key><array><dict><key>ID</key><string>com.example.a</string>"
                + "▸<key>Name</key><string>A</string></dict><dict><key>Name</key><string>B</string>"
                + "<key>ID</key><string>com.example.b</string></dict></array>"
                + "<key>Subscriptions</key><array><dict><key>Group</key><string>c</string><key>Products</key><array>"
                + "<dict><key>product_id</key><string>com.example.c</string></dict></array></dict></array></dict>",
            #""Name" is not supported in a file of StoreHelper"#,
            valid: ["com.example.a", "com.example.b", "com.example.c"]),
        RuleCase(
            "dictionaries alone with an identifier under another name",
            root: "<dict><key>Products</key><array><dict><key>id</key><string>com.example.a</string></dict></array>"
                + "</dict>",
            valid: ["com.example.a"]),
        RuleCase(
            "StoreHelper",
            root: "<dict><key>Products</key><array><string>a</string></array>▸<key>Weather</key><true/></dict>",
            #""Weather" is not supported in a file of StoreHelper"#, valid: ["a"]),
    ])
    func `an unsupported key in a file of MKStoreKit or StoreHelper is reported as a warning`(_ test: RuleCase) throws {
        try test.check("root")
    }
}
