import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct DiffPageTests {
    private let tool: Tool
    private let sample = Repository.sample("Voyager.plist").path()

    init() throws { tool = try Tool() }

    /// Returns a catalog with one product, whose texts are XML.
    private func catalog(identifier: String = "com.example.a", keys: String) -> String {
        PlistText.document(
            """
            <array><dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\(keys)</dict></array>
            """)
    }

    private func title(_ text: String) -> String { "<key>productTitle</key><string>\(text)</string>" }

    /// Writes both catalogs, and returns the page about their differences.
    private func page(_ old: String, _ new: String) throws -> String {
        try tool.folder.write(old, to: "old.plist")
        try tool.folder.write(new, to: "new.plist")
        return try tool.run("diff", "--html", "old.plist", "new.plist").output
    }

    private func tags(_ page: String) -> [String] { page.matches(of: /<[^>]*>/).map { String($0.0) } }

    /// Returns the values of a property before and after the change, as markup.
    private func cells(_ property: String, _ page: String) throws -> [String] {
        let start = try #require(page.range(of: "<th scope=\"row\">\(property)</th>\n")).upperBound
        let row = try #require(page[start...].components(separatedBy: "</tr>").first)
        return row.components(separatedBy: "\n").map { $0.replacing("<td>", with: "").replacing("</td>", with: "") }
    }

    @Test func `the HTML page of diff shows old and new values of each changed product side by side`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(
            text.replacing("<integer>50</integer>", with: "<integer>60</integer>")
                .replacing("\t\t\t<string>com.example.voyager.vienna</string>\n", with: "")
                .replacing("Münzen je Karte", with: "Münzen für jede Karte")
                .replacing("voyager.atlantis", with: "voyager.thule"), to: "new.plist")
        let result = try tool.run("diff", "--html", sample, "new.plist")
        let page = result.output

        #expect(result.status == 1)
        #expect(result.errors.isEmpty)
        #expect(try cells("Units", page) == ["<del><bdi>50</bdi></del>", "<ins><bdi>60</bdi></ins>"])
        #expect(try cells("Wallet", page) == ["<bdi>coins</bdi>", "<bdi>coins</bdi>"])
        #expect(try cells("Description (de)", page)[1].contains("<ins><bdi>Für Karten ohne Netz"))
        #expect(page.contains("<li><del><bdi>com.example.voyager.vienna</bdi></del></li>"))
        #expect(page.contains("<li><bdi>com.example.voyager.rome</bdi></li>"))
        #expect(page.contains("<strong>offer</strong>: <bdi>has productValue 60 instead of 50</bdi>"))
        #expect(
            page.contains("<strong class=\"grave\">takes away</strong>: <bdi>no longer contains &quot;com.example."))
        #expect(page.contains("<td><del><bdi>Atlantis</bdi></del></td>\n<td><span class=\"none\">none</span></td>"))
        #expect(page.contains("<td><span class=\"none\">none</span></td>\n<td><ins><bdi>Atlantis</bdi></ins></td>"))
        // What does not change is not shown, and what takes something away comes first.
        #expect(!page.contains("<code><bdi>com.example.voyager.madrid"))
        let groups = page.matches(of: /rowgroup" colspan="3"><code><bdi>com.example.voyager.(\w+)</).map { $0.1 }
        #expect(groups == ["everything", "coins50", "atlantis", "thule"])
    }

    @Test func `the HTML page of diff has the same summary as the pull request comment`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(text.replacing("<integer>50</integer>", with: "<integer>60</integer>"), to: "new.plist")
        let page = try tool.run("diff", "--html", sample, "new.plist").output
        let comment = try tool.run("diff", "--format", "markdown", sample, "new.plist").output

        #expect(comment.contains("1 change of offers in `new.plist`."))
        #expect(page.contains("1 change of offers in <code><bdi>new.plist</bdi></code>."))
        #expect(try tool.run("diff", "--html", sample, sample).output.contains("<p>Nothing changes for customers.</p>"))
    }

    @Test func `the HTML page of diff is well-formed and accessible, has no scripts, and loads no external resources`()
        throws
    {
        let page = try page(catalog(keys: title("a")), catalog(keys: title("b")))

        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"))
        #expect(page.hasSuffix("</html>\n"))
        #expect(
            page.contains(
                #"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">"#)
        )
        #expect(page.contains(#"<meta name="viewport" content="width=device-width, initial-scale=1">"#))
        #expect(page.contains("<title>Changes of catalogs from old.plist to new.plist</title>"))
        let tags = tags(page)
        let names = tags.map { String($0.drop { "</".contains($0) }.prefix { $0.isLetter || $0.isNumber }) }
        #expect(Set(names).isDisjoint(with: ["script", "link", "img", "iframe", "object", "form", "a", "base"]))
        #expect(tags.allSatisfy { !$0.contains("src=") && !$0.contains("href=") && !$0.contains(" on") })
        #expect(!page.contains("url(") && !page.contains("@import"))
        #expect(names.count { $0 == "h1" } == 2 && names.count { $0 == "style" } == 2)
        #expect(names.count { $0 == "table" } == names.count { $0 == "caption" })
        #expect(tags.filter { $0.hasPrefix("<th ") }.allSatisfy { $0.contains("scope=") } && !tags.contains("<th>"))
        // Each element ends, in the order of their beginnings.
        var open: [String] = []
        for (tag, name) in zip(tags, names) where !["meta", ""].contains(name) && !tag.hasPrefix("<!") {
            if tag.hasPrefix("</") { #expect(open.popLast() == name) } else { open.append(name) }
        }
        #expect(open.isEmpty)
    }

    @Test(arguments: [
        "&lt;script>alert(1)&lt;/script>", "&lt;/bdi>&lt;/td>&lt;/table>&lt;h1>x", "&lt;!--", "&lt;\u{301}b>",
        "&lt;style>*{display:none}&lt;/style>", "&quot; onload=&quot;x", "&apos; style=&apos;x", "&amp;lt;b&amp;gt;",
        "]]&gt;", "\u{202E}txt.\u{2066}a", "\u{200F}\u{61C}\u{200B}", "a&#13;&#9;\u{85}b", "\u{5E9}\u{5DC}",
    ])
    func `the HTML page of diff escapes all text of a catalog`(value: String) throws {
        func pair(_ value: String) -> (String, String) {
            let keys = """
                <key>longDescription</key><string>\(value)</string><key>productIcon</key><string>\(value)</string>
                <key>subscriptionGroup</key><string>\(value)</string>
                """
            return (
                catalog(identifier: "com.example.\(value)", keys: title("old \(value)") + keys),
                catalog(
                    identifier: "com.example.\(value)",
                    keys: title("new \(value)") + "<key>level</key><integer>1</integer>")
            )
        }
        let harmless = pair("value")
        let expected = tags(try page(harmless.0, harmless.1))
        let hostile = pair(value)
        let page = try page(hostile.0, hostile.1)

        #expect(tags(page) == expected)
        #expect(page.utf8.count { $0 == UInt8(ascii: "<") } == expected.count)
        let content = try #require(page.components(separatedBy: "</style>").last)
        let outside = content.replacing(/<[^>]*>/, with: "")
        #expect(!outside.contains { "\"'".contains($0) })
        #expect(
            !page.unicodeScalars.contains { scalar in
                switch scalar.value {
                case 0x0A: false
                case 0x61C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
                case 0x09: false
                default: scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                }
            })
    }

    @Test func `values on the HTML page of diff are escaped once, keep line breaks, and show invisible characters`()
        throws
    {
        let page = try page(
            catalog(keys: title("a")), catalog(keys: title("1 &lt; 2 &amp;amp; &quot;3&apos;\n\u{202E}4")))

        #expect(try cells("Title", page)[1] == "<ins><bdi>1 &lt; 2 &amp;amp; &quot;3&#39;")
        #expect(try cells("Title", page)[2] == "\\u{202E}4</bdi></ins>")
    }

    @Test func `the HTML page of diff reports a changed translation in a language that the store does not support`()
        throws
    {
        func titles(_ text: String) -> String {
            "<key>productTitle</key><dict><key>en</key><string>A</string><key>gsw</key><string>\(text)</string></dict>"
        }
        let page = try page(catalog(keys: titles("a")), catalog(keys: titles("b")))

        #expect(try cells("Title (a translation changes)", page) == ["<bdi>A</bdi>", "<bdi>A</bdi>"])
    }

    @Test func `the HTML page of diff escapes file and folder names`() throws {
        for (folder, value) in [("old", "a"), ("new", "b")] {
            try tool.folder.write(catalog(keys: title(value)), to: "\(folder)<b>/<i>'&.plist")
        }
        let page = try tool.run("diff", "--html", "old<b>", "new<b>").output

        #expect(page.contains("<title>Changes of catalogs from old&lt;b&gt; to new&lt;b&gt;</title>"))
        #expect(page.contains("<h2><code><bdi>&lt;i&gt;&#39;&amp;.plist</bdi></code></h2>"))
        #expect(!page.contains("<b>") && !page.contains("<i>"))
    }

    @Test func `the HTML page of diff shortens long values to the text around the first difference`() throws {
        let long = String(repeating: "x", count: 10_000)
        let beginning = try page(catalog(keys: title("a\(long)")), catalog(keys: title("b\(long)")))
        #expect(
            try cells("Title", beginning)[0]
                == "<del><bdi>a\(long.prefix(1_999))</bdi>… and 8001 more characters</del>")

        let end = try page(catalog(keys: title("\(long)a")), catalog(keys: title("\(long)b")))
        #expect(try cells("Title", end)[1] == "<ins>…<bdi>\(long.prefix(100))b</bdi></ins>")
    }

    @Test func `the HTML page of diff lists catalogs that are added, removed, invalid or not compared`() throws {
        try tool.folder.write(catalog(identifier: "com.example.new", keys: ""), to: "new/New.plist")
        try tool.folder.write(catalog(identifier: "com.example.gone", keys: ""), to: "old/Gone.plist")
        try tool.folder.write(catalog(keys: ""), to: "old/Broken.plist")
        try tool.folder.write("<plist><array>", to: "new/Broken.plist")
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(text, to: "old/Wrong.plist")
        try tool.folder.write(
            text.replacing("<integer>50</integer>", with: "<string>50</string>"), to: "new/Wrong.plist")
        let result = try tool.run("diff", "--html", "old", "new")
        let page = result.output

        #expect(result.status == 65)
        #expect(result.errors.contains("Wrong.plist after the change has products with errors"))
        #expect(page.contains("1 catalog not compared in 4 catalogs."))
        #expect(page.contains("<code><bdi>New.plist</bdi></code> is added."))
        #expect(page.contains("<code><bdi>Gone.plist</bdi></code> is removed."))
        #expect(
            page.contains("<code><bdi>Broken.plist</bdi></code> was not compared: <bdi>Broken.plist after the change"))
        #expect(page.contains("<p class=\"note\"><bdi>Wrong.plist after the change has products with errors"))
        #expect(page.contains("<strong>offer</strong>: <bdi>has errors now, and is not sold</bdi>"))
        let sections = page.matches(of: /<h2><code><bdi>(\w+)/).map { $0.1 }
        #expect(sections == ["Broken", "Gone", "New", "Wrong"])
    }

    @Test func `the HTML page of diff lists catalog-wide changes above the changes of products`() throws {
        func wallets(_ balance: Int) -> String {
            PlistText.document(
                """
                <dict><key>wallets</key><dict><key>a&lt;b</key><dict><key>startingBalance</key>
                <integer>\(balance)</integer></dict></dict><key>products</key><array><dict><key>productIdentifier</key>
                <string>com.example.a</string><key>consumable</key><true/><key>storageKey</key><string>a&lt;b</string>
                <key>productValue</key><integer>\(balance)</integer></dict></array></dict>
                """)
        }
        let page = try page(wallets(9), wallets(5))

        let change =
            "takes away</strong>: the catalog <bdi>starts the wallet &quot;a&lt;b&quot; with 5 instead of 9</bdi>"
        let place = try #require(page.range(of: change)).lowerBound
        #expect(try place < #require(page.range(of: "<table>")).lowerBound)
    }

    @Test func `the HTML page of diff shows at most 1,000 products and includes the gravest changes of all catalogs`()
        throws
    {
        func catalog(_ name: String, _ count: Int, without child: Bool) -> String {
            let products = (0..<count).map { "<string>com.example.\(name).\($0)</string>" }
            return PlistText.document(
                child
                    ? "<array>\(products.joined())</array>"
                    : """
                    <array><dict><key>productIdentifier</key><string>com.example.z</string><key>consumable</key><false/>
                    <key>childProducts</key><array><string>com.example.y</string></array></dict>
                    <dict><key>productIdentifier</key><string>com.example.y</string><key>consumable</key><false/></dict>
                    <dict><key>productIdentifier</key><string>com.example.x</string><key>consumable</key><false/></dict>
                    </array>
                    """)
        }
        let bundle = catalog("z", 0, without: false)
        try tool.folder.write(PlistText.document("<array><string>com.example.old</string></array>"), to: "old/A.plist")
        try tool.folder.write(
            catalog("a", 1_200, without: true).replacing("<array>", with: "<array><string>com.example.old</string>"),
            to: "new/A.plist")
        try tool.folder.write(bundle, to: "old/Z.plist")
        try tool.folder.write(
            bundle.replacing("<string>com.example.y</string></array>", with: "<string>com.example.x</string></array>"),
            to: "new/Z.plist")
        let page = try tool.run("diff", "--html", "old", "new").output

        #expect(page.matches(of: /<tbody>/).count == 1_000)
        #expect(page.contains("no longer contains &quot;com.example.y&quot;"))
        #expect(page.contains("… and 201 more, which <code>vitrine diff</code> lists."))
        #expect(page.contains("1200 changes of offers"))
    }

    @Test func `the HTML page of diff is truncated if many long texts would make it too large`() throws {
        let products = (0..<500).map { number in
            """
            <dict><key>productIdentifier</key><string>com.example.\(number)</string><key>consumable</key><false/>
            \(title(String(repeating: "&lt;", count: 4_000)))
            <key>longDescription</key><string>\(String(repeating: "&lt;", count: 4_000))</string></dict>
            """
        }
        let page = try page(
            PlistText.document("<array><string>com.example.b</string></array>"),
            PlistText.document("<array><string>com.example.b</string>\(products.joined())</array>"))

        #expect(page.utf8.count < 4_500_000)
        #expect(page.contains(/… and \d+ more, which <code>vitrine diff/))
    }

    @Test func `vitrine diff refuses two different output formats, but accepts the same format named twice`() throws {
        for options in [["--html", "--json"], ["--html", "--format", "text"], ["--json", "--format", "html"]] {
            #expect(try tool.run(["diff", sample, sample] + options).status == 64, "\(options)")
        }
        let page = try tool.run("diff", sample, sample, "--html").output
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(try tool.run("diff", sample, sample, "--format", "html").output == page)
        #expect(try tool.run("diff", sample, sample, "--format", "html", "--html").output == page)
        #expect(try tool.run("diff", sample, sample, "--format", "json", "--json").status == 0)
    }

    @Test(arguments: [0, 1])
    func `text colors on the HTML page of diff have sufficient contrast in light and dark mode`(scheme: Int) throws {
        let page = try tool.run("diff", "--html", sample, sample).output
        let roots = page.matches(of: /:root \{([^}]*)\}/).map { $0.1 }
        #expect(roots.count == 2)
        let colors = Dictionary(
            uniqueKeysWithValues: roots[scheme].matches(of: /--([a-z-]+): #([0-9a-f]{6});/).map {
                (String($0.1), luminance(Int($0.2, radix: 16)!))
            })
        for (text, back) in [
            ("text", "back"), ("text", "head"), ("quiet", "back"), ("grave", "back"), ("old", "old-back"),
            ("new", "new-back"),
        ] {
            let pair = [try #require(colors[text]), try #require(colors[back])].sorted()
            #expect((pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, "\(text) on \(back)")
        }
    }

    /// Returns the relative luminance of a color in sRGB, as WCAG 2.2 defines it.
    private func luminance(_ color: Int) -> Double {
        zip([16, 8, 0], [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
            let value = Double(color >> part.0 & 0xFF) / 255
            return sum + part.1 * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
        }
    }
}
