import Testing
import VitrineCatalog
import VitrineTestSupport

/// A catalog that is looked at by one rule.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The outermost value, with ▸ at each place that a finding is to have, and ▹ at each that a note is to have.
    let root: String
    /// What the findings say, in the order of the file.
    let messages: [String]
    /// What the notes of the findings say, in the same order.
    let notes: [String]
    /// The rules of what else is found, in the order of the file.
    let also: [String]
    /// The identifiers of the products that can be used.
    let kept: [String]

    /// Takes either the keys of a non-consumable `first`, or the catalog's products, or its outermost value.
    init(
        _ description: String,
        _ keys: String = "",
        products: String? = nil,
        root: String? = nil,
        _ messages: String...,
        notes: [String] = [],
        also: [String] = [],
        kept: [String] = ["first"]
    ) {
        testDescription = description
        self.root = root ?? "<array>\(products ?? nonConsumable("first", keys))</array>"
        self.messages = messages
        self.notes = notes
        self.also = also
        self.kept = kept
    }

    /// Checks that a rule finds just this, and what is left of the catalog.
    func check(_ rule: String, severity: Diagnostic.Severity = .warning) throws {
        let text = PlistText.document(root)
        let marked = MarkedText(text.replacing("▹", with: ""))
        let markedForNotes = MarkedText(text.replacing("▸", with: "").replacing("▹", with: "▸"))
        let catalog = Catalog(document: try PlistText.read(marked.text))
        let findings = catalog.diagnostics.filter { $0.rule == rule }
        let notes = findings.flatMap(\.notes)

        #expect(findings.map(\.message) == messages)
        #expect(findings.map(\.position) == marked.positions)
        #expect(findings.allSatisfy { $0.severity == severity })
        #expect(notes.map(\.message) == self.notes)
        #expect(notes.map(\.position) == markedForNotes.positions)
        #expect(catalog.diagnostics.map(\.rule).filter { $0 != rule } == also)
        #expect(catalog.products.map(\.identifier) == kept)
        #expect(CatalogRuleDescription.all.contains { $0.identifier == rule })
    }
}

/// A non-consumable of a file, with further keys.
func nonConsumable(_ identifier: String, _ keys: String = "") -> String {
    "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\n\(keys)</dict>\n"
}

/// A bundle of a file: a non-consumable with children, each a string.
func bundle(_ identifier: String, _ children: String, _ keys: String = "") -> String {
    nonConsumable(identifier, "<key>childProducts</key><array>\(children)</array>\n\(keys)")
}

/// A consumable of a file that lacks nothing, with further keys.
func consumable(_ identifier: String, _ keys: String = "") -> String {
    """
    <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
    <key>storageKey</key><string>coins</string><key>productValue</key><integer>5</integer>
    \(keys)</dict>

    """
}
