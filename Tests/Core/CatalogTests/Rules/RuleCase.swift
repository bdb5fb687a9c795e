import Testing
import VitrineCatalog
import VitrineTestSupport

/// Catalog with the expected diagnostics of one rule.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Root value, with ▸ at the position of each expected diagnostic, and ▹ at the position of each expected note.
    let root: String
    /// Messages of the diagnostics, in the order of the file.
    let messages: [String]
    /// Messages of the notes, in the same order.
    let notes: [String]
    /// Rules of the other diagnostics, without `content-address`, in the order of the file.
    let also: [String]
    /// Identifiers of the products that can be used.
    let valid: [String]

    /// Creates a case from the keys of a non-consumable `first`, from the catalog's products, or from its root value.
    init(
        _ description: String,
        _ keys: String = "",
        products: String? = nil,
        root: String? = nil,
        _ messages: String...,
        notes: [String] = [],
        also: [String] = [],
        valid: [String] = ["first"]
    ) {
        testDescription = description
        self.root = root ?? "<array>\(products ?? nonConsumable("first", keys))</array>"
        self.messages = messages
        self.notes = notes
        self.also = also
        self.valid = valid
    }

    /// Checks that a rule reports exactly the expected diagnostics, and that the expected products remain.
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
        #expect(catalog.generalDiagnostics.map(\.rule).filter { $0 != rule } == also)
        #expect(catalog.products.map(\.identifier) == valid)
        #expect(CatalogRuleDescription.all.contains { $0.identifier == rule })
    }
}

/// Returns a non-consumable with further keys.
func nonConsumable(_ identifier: String, _ keys: String = "") -> String {
    "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\n\(keys)</dict>\n"
}

/// Returns an auto-renewable subscription with further keys.
func autoRenewable(_ identifier: String, _ keys: String = "") -> String {
    """
    <dict><key>productIdentifier</key><string>\(identifier)</string>
    <key>type</key><string>autoRenewableSubscription</string>
    \(keys)</dict>

    """
}

/// Returns a bundle: a non-consumable with children, each given as a string element.
func bundle(_ identifier: String, _ children: String, _ keys: String = "") -> String {
    nonConsumable(identifier, "<key>childProducts</key><array>\(children)</array>\n\(keys)")
}

/// Returns a valid consumable with further keys.
func consumable(_ identifier: String, _ keys: String = "") -> String {
    """
    <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
    <key>storageKey</key><string>coins</string><key>productValue</key><integer>5</integer>
    \(keys)</dict>

    """
}
