import ProductCatalog
import TestSupport
import Testing

@Suite struct ContentRuleTests {
    @Test(
        arguments: [
            ("guides/rome", ["guides", "rome"]), ("guides/rome/", ["guides", "rome"]), ("./guides", ["guides"]),
            ("guides//rome", ["guides", "rome"]), ("guides/../rome", ["rome"]), ("a/b/../../c", ["c"]),
            ("Führer/Rom", ["Führer", "Rom"]), (".", []), ("...", ["..."]),
            ("..\u{338}", ["..\u{338}"]), ("a/\u{338}b", ["a", "\u{338}b"]),
        ]
    )
    func `a path inside its folder is read`(text: String, components: [String]) throws {
        #expect(try ContentPath(text).components == components)
    }

    @Test(
        arguments: [
            ("../../etc", "leads out of its folder"), ("..", "leads out of its folder"),
            ("a/../..", "leads out of its folder"), ("a/../../a", "leads out of its folder"),
            ("../\u{338}evil/rome", "leads out of its folder"), ("/\u{338}evil", "is absolute"),
            ("/etc/passwd", "is absolute"), ("//a", "is absolute"), ("a\nb", "holds a control character"),
            ("a\u{0}b", "holds a control character"),
            (String(repeating: "x", count: 256), "holds a name that is longer than 255 bytes"),
            (String(repeating: "x/", count: 600), "is longer than 1024 bytes"),
        ]
    )
    func `a path that is not is refused`(text: String, reason: String) {
        let error = #expect(throws: ContentPathError.self) { try ContentPath(text) }
        #expect(error?.reason == reason)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// A product's keys; `▸` marks where the finding is to be.
        let marked: String
        let message: String?
        var testDescription: String { id }
    }

    @Test(arguments: [
        Case(
            id: "a path that leads out", marked: "<key>localContentPath</key>▸<string>../../etc</string>",
            message: #"localContentPath "../../etc" leads out of its folder"#),
        Case(
            id: "an absolute path", marked: "<key>localContentPath</key>▸<string>/etc</string>",
            message: #"localContentPath "/etc" is absolute"#),
        Case(
            id: "the content directory itself",
            marked: "<key>hosted</key><true/><key>localContentPath</key>▸<string>a/..</string>",
            message: #"localContentPath "a/.." is the content directory itself"#),
        Case(
            id: "the content directory's own tag",
            marked: "<key>hosted</key><true/><key>localContentPath</key>▸<string>cachedir.tag</string>",
            message: #"localContentPath "cachedir.tag" begins with a name that the content directory needs itself"#),
        Case(
            id: "the staging area",
            marked: "<key>hosted</key><true/><key>localContentPath</key>▸<string>.STAGING/x</string>",
            message: #"localContentPath ".STAGING/x" begins with a name that the content directory needs itself"#),
        Case(
            id: "hosted without a path", marked: "<key>hosted</key><true/>",
            message: #""a" is hosted, and has no localContentPath"#),
        Case(
            id: "hosted with a path", marked: "<key>hosted</key><true/><key>localContentPath</key><string>a</string>",
            message: nil),
    ])
    func `content stays in its folder`(_ test: Case) throws {
        let marked = MarkedText(
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>"
                    + "\(test.marked)</dict></array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        let errors = catalog.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.message) == [test.message].compactMap(\.self))
        #expect(catalog.products.isEmpty == (test.message != nil))
        if let position = marked.positions.first { #expect(errors.first?.position == position) }
    }

    @Test func `a path that is refused itself overlaps with none`() throws {
        func hosted(_ name: String, at path: String) throws -> CatalogProduct {
            CatalogProduct(
                identifier: name, kind: .nonConsumable, localContentPath: try ContentPath(path), isHosted: true)
        }
        let catalog = Catalog(products: [try hosted("root", at: "."), try hosted("one", at: "one")])

        #expect(catalog.diagnostics.map(\.rule) == ["content-path"])
        #expect(catalog.products.map(\.identifier) == ["one"])
    }

    @Test(
        arguments: [
            ("guides/rome", "guides/athens", false), ("guides", "guides2", false), ("guides", "guides/rome", true),
            ("guides/rome", "guides/rome", true), ("guides/rome", "Guides/Rome", true),
            ("guides", "guides/\u{338}x", true),
            ("cafe\u{301}", "caf\u{e9}/x", true),
        ]
    )
    func `two products do not share a place`(one: String, other: String, overlap: Bool) throws {
        func hosted(_ name: String, at path: String) throws -> CatalogProduct {
            CatalogProduct(
                identifier: name, kind: .nonConsumable, localContentPath: try ContentPath(path), isHosted: true)
        }
        let catalog = Catalog(products: [
            try hosted("between", at: "guides!"), try hosted("other", at: other), try hosted("one", at: one),
        ])

        #expect(catalog.diagnostics.map(\.rule) == (overlap ? ["content-overlap"] : []))
        #expect(catalog.products.map(\.identifier) == (overlap ? ["between"] : ["between", "other", "one"]))
    }
}
