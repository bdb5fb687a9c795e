import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

/// Property lists in a folder that are recognized as catalogs.
@Suite struct CatalogDialectTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: String
        let isCatalog: Bool
    }

    @Test(arguments: [
        Case(
            testDescription: "products",
            body: "<array><dict><key>productIdentifier</key><string>a</string></dict></array>", isCatalog: true),
        Case(
            testDescription: "a product whose identifier is misspelled",
            body:
                "<array><dict><key>productIdentifer</key><string>a</string><key>consumable</key><true/></dict></array>",
            isCatalog: true),
        Case(
            testDescription: "products in a dictionary",
            body: "<dict><key>products</key><array><dict><key>consumable</key><true/></dict></array></dict>",
            isCatalog: true),
        Case(
            testDescription: "products under a key in another case",
            body: "<dict><key>Products</key><array><dict><key>hosted</key><true/></dict></array></dict>",
            isCatalog: true),
        Case(
            testDescription: "products under a key in the singular",
            body: "<dict><key>product</key><array><dict><key>consumable</key><true/></dict></array></dict>",
            isCatalog: true),
        Case(
            testDescription: "products under a key in the singular and another case",
            body: "<dict><key>Product</key><array><string>com.example.a</string></array></dict>", isCatalog: true),
        Case(
            testDescription: "products under a key without a letter",
            body: "<dict><key>prodcts</key><array><dict><key>productIdentifier</key><string>a</string></dict></array>"
                + "</dict>", isCatalog: true),
        Case(
            testDescription: "products under a key with two letters changed over, and a misspelled identifier",
            body: "<dict><key>prodcuts</key><array><dict><key>productIdentifer</key><string>a</string></dict></array>"
                + "</dict>", isCatalog: true),
        Case(
            testDescription: "products by their names instead of an array",
            body:
                "<dict><key>products</key><dict><key>gold</key><dict><key>consumable</key><true/></dict></dict></dict>",
            isCatalog: true),
        Case(
            testDescription: "one product instead of an array",
            body: "<dict><key>products</key><dict><key>productIdentifier</key><string>a</string></dict></dict>",
            isCatalog: true),
        Case(
            testDescription: "a misspelled version and nothing else",
            body: "<dict><key>catalogVersoin</key><integer>1</integer></dict>", isCatalog: true),
        Case(
            testDescription: "products with an identifier under another name",
            body: "<dict><key>Products</key><array><dict><key>ID</key><string>com.example.a</string></dict></array>"
                + "</dict>", isCatalog: true),
        Case(
            testDescription: "products of something else with a number",
            body: "<dict><key>Products</key><array><dict><key>ID</key><string>17</string></dict></array></dict>",
            isCatalog: false),
        Case(
            testDescription: "projects, two letters from products",
            body: "<dict><key>projects</key><array><dict><key>consumable</key><true/></dict></array></dict>",
            isCatalog: false),
        Case(
            testDescription: "a product of something else",
            body: "<dict><key>product</key><dict><key>weight</key><integer>3</integer></dict></dict>",
            isCatalog: false),
        Case(
            testDescription: "an empty list under a key in the singular",
            body: "<dict><key>product</key><array/></dict>", isCatalog: false),
        Case(testDescription: "nothing yet", body: "<array/>", isCatalog: true),
        Case(
            testDescription: "a version and nothing else",
            body: "<dict><key>catalogVersion</key><integer>1</integer></dict>", isCatalog: true),
        Case(
            testDescription: "identifiers", body: "<array><string>com.example.a</string></array>", isCatalog: true),
        Case(
            testDescription: "a dictionary of identifiers",
            body: "<dict><key>com.example.a</key><string>x</string></dict>", isCatalog: true),
        Case(
            testDescription: "a misspelled identifier and a type",
            body:
                "<array><dict><key>productIdentifer</key><string>a</string><key>type</key><string>x</string></dict></array>",
            isCatalog: true),
        Case(
            testDescription: "texts by names",
            body: "<dict><key>welcome.title</key><string>Hello</string></dict>", isCatalog: false),
        Case(
            testDescription: "settings under a key of StoreHelper",
            body: "<dict><key>Subscriptions</key><string>x</string></dict>", isCatalog: false),
        Case(
            testDescription: "words", body: "<array><string>Apple</string><string>Pear</string></array>",
            isCatalog: false),
        Case(
            testDescription: "an Info.plist",
            body: "<dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict>", isCatalog: false),
        Case(
            testDescription: "a menu",
            body:
                "<array><dict><key>title</key><string>File</string><key>type</key><string>menu</string></dict></array>",
            isCatalog: false),
        Case(
            testDescription: "products of something else",
            body: "<dict><key>products</key><array><dict><key>weight</key><integer>3</integer></dict></array></dict>",
            isCatalog: false),
        Case(testDescription: "numbers", body: "<array><integer>1</integer></array>", isCatalog: false),
        Case(testDescription: "a string", body: "<string>com.example.a</string>", isCatalog: false),
        Case(testDescription: "an empty dictionary", body: "<dict/>", isCatalog: false),
    ])
    func `a property list is recognized as a catalog by its keys and product identifiers`(_ test: Case) throws {
        let document = try PropertyListDocument(bytes: Array(PlistText.document(test.body).utf8))

        #expect(CatalogDialect.isCatalog(document) == test.isCatalog)
    }

    @Test(arguments: [
        (#"[{"productIdentifier": "a"}]"#, true), (#"{"products": [{"productIdentifer": "a"}]}"#, true),
        (#"["com.example.a", "com.example.b"]"#, true), (#"["com.example.a", "some text"]"#, false),
        ("[]", false), (#"{"products": []}"#, false), (#"{"products": [{"productTitle": "Map", "level": 1}]}"#, false),
        (#"{"welcome.title.text": "Hello"}"#, false), (#"{"name": "app", "version": "1.0.0"}"#, false),
        (#"{"version": {"major": 4}, "products": [{"productID": "a", "type": "Consumable"}]}"#, false),
        (#"{"catalogVersion": 1}"#, false), (#"{"catalogVersion": 3, "products": [{"id": "a"}]}"#, true),
        (#"{"product": "Foo", "products": [{"productIdentifier": "a"}]}"#, true),
        (#"{"products": {"map": {"productIdentifier": "a"}}}"#, true),
    ])
    func `JSON is recognized as a catalog by a key like productIdentifier, or as a list of identifiers alone`(
        text: String, isCatalog: Bool
    ) throws {
        let document = try PropertyListDocument(bytes: Array(text.utf8))

        #expect(CatalogDialect.isCatalog(document) == isCatalog)
    }
}
