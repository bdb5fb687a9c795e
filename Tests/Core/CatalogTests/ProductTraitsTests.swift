import Testing
import VitrinePropertyList
import VitrineTestSupport

@testable import VitrineCatalog

/// Rules with traits, which are applied only to products with such a trait. Here each rule is applied to each product.
@Suite(.hangLimit) struct ProductTraitsTests {
    private static let keys =
        CatalogKey.allCases.map(\.name)
        + ["purchased", "privateKey", "colour", "productIdentifier", "productTitle", "userInfo"]

    private static let values = [
        "<string/>", "<string>a</string>", "<string>a b</string>", "<string>ftp://a/b.png</string>", "<true/>",
        "<false/>", "<integer>-3</integer>", "<integer>0</integer>",
        "<integer>7</integer>", "<integer>18446744073709551615</integer>", "<real>1.5</real>", "<array/>", "<dict/>",
        "<date>2020-01-01T00:00:00Z</date>", "<data>YQ==</data>", "<string>consumable</string>",
        "<string>nonRenewingSubscription</string>", "<string>subscription</string>", "<string>P1M</string>",
        "<string>2.10</string>", "<string>1.2.3.4.5.6.7.8.9</string>", "<string>été</string>",
        "<string>http://a.example/b.png</string>", "<string>https://a.example/b.zip</string>",
        "<string>a/../..</string>", "<string>.staging/a</string>", "<string>sha256:xyz</string>",
        "<string> -----BEGIN PRIVATE KEY-----</string>", "<array><string>a</string><string/><string>a</string></array>",
        "<array><string>a</string></array>",
        "<array><dict><key>duration</key><string>P1M</string></dict></array>",
        "<array><dict><key>beforeVersion</key><string>0.0</string></dict><true/></array>",
        "<dict><key>beforeBuild</key><string>200</string></dict>",
        "<dict><key>beforeBuild</key><string>1.2</string><key>beforeBuild</key><string>x</string></dict>",
        "<dict><key>en</key><string>a</string><key>en</key><string/></dict>",
        "<dict><key>de</key><integer>1</integer><key>Klingon</key><string>a</string></dict>",
        "<dict><key>password</key><string>a</string></dict>",
        "<dict><key>a</key><array><dict><key>b</key><true/><key>b</key><true/></dict></array></dict>",
        "<dict><key>a</key><dict><key>secret</key><string>b</string></dict></dict>",
    ]

    @Test func `catalog rules have no findings in products without the features that they check`() throws {
        var random = SeededGenerator(seed: 27)
        var rules = AllRules.forProducts
        var (unasked, found): (Int, Set<String>) = (0, [])
        for number in 0..<3_000 {
            let kind = ["", "<key>consumable</key><true/>", "<key>consumable</key><false/>"].randomElement(
                using: &random)
            let hosted = ["", "<key>hosted</key><true/><key>localContentPath</key><string>a</string>"].randomElement(
                using: &random)
            let pairs = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                "<key>\(Self.keys.randomElement(using: &random) ?? "")</key>"
                    + (Self.values.randomElement(using: &random) ?? "")
            }
            let text = PlistText.document("<array><dict>\(kind ?? "")\(hosted ?? "")\(pairs.joined())</dict></array>")
            let product = try PropertyListDocument(bytes: Array(text.utf8)).root.elements[0]
            let declaration = ProductDeclaration(dictionary: product)
            for index in rules.indices {
                let rule = type(of: rules[index])
                let findings = rules[index].findings(in: declaration, at: number)
                if declaration.traits.isDisjoint(with: rule.concerns) {
                    unasked += 1
                    #expect(findings.isEmpty, "\(rule.identifier): \(text)")
                } else if !findings.isEmpty {
                    found.insert(rule.identifier)
                }
            }
        }
        // A product with too many keys has no traits of its own.
        #expect(found.union([TooManyKeysRule.identifier]) == Set(rules.map { type(of: $0).identifier }))
        #expect(unasked > 30_000)
    }

    @Test(arguments: CatalogKey.allCases) func `each known catalog key is found by its exact name`(key: CatalogKey) {
        let table = KeyTable()
        func found(_ name: String) -> CatalogKey? { Array(name.utf8).withUnsafeBufferPointer { table.key($0) } }
        #expect(found("\(key)") == key)
        #expect(found(key.name + "s") == nil)
        #expect(found(String(key.name.dropLast())) == nil)
        #expect(found(key.name.uppercased()) == nil)
    }
}
