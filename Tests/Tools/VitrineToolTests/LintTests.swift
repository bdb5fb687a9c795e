import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct LintTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        /// Lines on standard output.
        let lines: [String]
        var status: Int32 = 1
    }

    @Test(arguments: [
        Case(
            testDescription: "nothing to find",
            body:
                "<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict></array>",
            lines: [], status: 0),
        Case(
            testDescription: "a consumable without storageKey",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>productValue</key><integer>5</integer></dict></array>
                """,
            lines: ["c.plist:4:8: error: the consumable \"a\" has no storageKey [missing-storage-key]"]),
        Case(
            testDescription: "a child that does not exist",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>b</string></array></dict></array>
                """,
            lines: [
                "c.plist:5:32: error: \"a\" contains \"b\", which is not in the catalog "
                    + "[unknown-child]"
            ]),
        Case(
            testDescription: "two bundles containing each other",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>b</string></array></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>a</string></array></dict></array>
                """,
            lines: [
                "c.plist:5:32: error: bundles contain each other: \"a\" → \"b\" → \"a\" [bundle-cycle]",
                "c.plist:7:32: note: and \"b\" contains \"a\" here",
            ]),
        Case(
            testDescription: "purchased in the file",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>purchased</key><true/></dict></array>
                """,
            lines: [
                "c.plist:5:1: error: \"purchased\" declares a product as owned, which a catalog cannot do [ownership-key]"
            ]),
        Case(
            testDescription: "a duplicate identifier",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict></array>
                """,
            lines: [
                "c.plist:5:35: error: the identifier \"a\" is used twice [duplicate-identifier]",
                "c.plist:4:42: note: the identifier is first used here",
            ]),
        Case(
            testDescription: "a warning alone",
            body: """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>colour</key><true/></dict></array>
                """,
            lines: ["c.plist:5:1: warning: the key \"colour\" is unknown and is ignored [unknown-key]"], status: 0),
    ])
    func `lint prints a finding with its file, line, column, severity and rule`(_ test: Case) throws {
        let tool = try Tool()
        try tool.folder.write(PlistText.document(test.body), to: "c.plist")
        let result = try tool.run("lint", "c.plist")

        #expect(result.lines.filter { !$0.hasPrefix("    ") } == test.lines)
        #expect(result.errors.isEmpty)
        #expect(result.status == test.status)
        #expect(try tool.files().keys.sorted() == ["c.plist"])
    }

    @Test func `lint exits with status 65 for a file that is not a property list, and 66 for a missing file`() throws {
        let tool = try Tool()
        try tool.folder.write("just text", to: "text.plist")
        try tool.folder.write("", to: "empty.plist")
        try tool.folder.write("<plist><array>\n<oops/></array></plist>", to: "oops.plist")

        let text = try tool.run("lint", "text.plist")
        #expect(
            text.lines == [
                "text.plist: error: the file is plain text, not a property list in XML, binary or JSON [not-a-property-list]"
            ])
        #expect(text.status == 65)
        let empty = try tool.run("lint", "empty.plist")
        #expect(empty.lines == ["empty.plist: error: the file is empty [not-a-property-list]"])
        #expect(empty.status == 65)
        let oops = try tool.run("lint", "oops.plist")
        #expect(
            oops.lines == [
                "oops.plist:2:1: error: <oops> is not a property list element [not-a-property-list]",
                "    <oops/></array></plist>", "    ^",
            ])
        #expect(oops.status == 65)
        let missing = try tool.run("lint", "missing.plist")
        #expect(missing.lines.isEmpty)
        #expect(missing.errors == "vitrine: error: missing.plist: there is no such file\n")
        #expect(missing.status == 66)
    }

    @Test func `lint of several files reads all of them and exits with the highest status`() throws {
        let tool = try Tool()
        try tool.folder.write("just text", to: "text.plist")
        let result = try tool.run("lint", "missing.plist", "text.plist", Repository.sample("Voyager.plist").path())

        #expect(result.status == 66)
        #expect(result.lines.filter { $0.contains("error:") }.count == 1)
        #expect(result.lines.filter { $0.contains("note:") }.count == 2)
        #expect(try tool.run("lint", Repository.sample("Voyager.plist").path(), "text.plist").status == 65)
    }

    @Test func `vitrine show escapes control characters in product identifiers`() throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>a\u{85}b\nc</string><key>consumable</key><false/>
                </dict></array>
                """), to: "c.plist")

        #expect(try tool.run("show", "c.plist").lines.last == #"a\u{0085}b\nc  non-consumable"#)
    }

    @Test func `vitrine show does not widen all rows because of one very long identifier`() throws {
        let tool = try Tool()
        let products = [String(repeating: "x", count: 100_000), "a", "b"].map {
            "<dict><key>productIdentifier</key><string>\($0)</string><key>consumable</key><false/></dict>"
        }
        try tool.folder.write(PlistText.document("<array>\(products.joined())</array>"), to: "c.plist")
        let lines = try tool.run("show", "c.plist").lines

        #expect(lines.count == 4)
        #expect(lines.last == "b           non-consumable")
    }

    @Test func `lint --json prints the findings with rule, severity and position`() throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document("<array><dict><key>consumable</key><false/></dict></array>"), to: "c.plist")
        let result = try tool.run("lint", "c.plist", "--json")
        let files = try #require(try result.json["files"] as? [[String: Any]])
        let findings = try #require(files.first?["findings"] as? [[String: Any]])

        #expect(result.status == 1)
        #expect(files.first?["path"] as? String == "c.plist")
        #expect(findings.first?["rule"] as? String == "missing-identifier")
        #expect(findings.first?["severity"] as? String == "error")
        #expect(findings.first?["line"] as? Int == 4)
        #expect(findings.first?["column"] as? Int == 8)
    }

    @Test func `lint follows a folder link that is given as an argument, but no links inside the folder`() throws {
        let tool = try Tool()
        for file in ["shop/a.plist", "shop/deep/b.plist", "other/c.plist"] {
            try tool.folder.write(PlistText.document("<array/>"), to: file)
        }
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder["link"].path(), withDestinationPath: "shop")
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder["shop/other"].path(), withDestinationPath: "../other")

        let files = try #require(try tool.run("lint", "link", "--json").json["files"] as? [[String: Any]])
        #expect(files.compactMap { $0["path"] as? String } == ["link/a.plist", "link/deep/b.plist"])
    }

    @Test(arguments: [("2020-01-01T00:00:00Z", true), ("9999-01-01T00:00:00Z", false)])
    func `lint warns about an expired catalog`(expires: String, isExpired: Bool) throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document("<dict><key>expires</key><date>\(expires)</date><key>products</key><array/></dict>"),
            to: "c.plist")
        let result = try tool.run("lint", "--strict", "c.plist")
        #expect(result.status == (isExpired ? 1 : 0))
        #expect(
            result.lines.filter { !$0.hasPrefix("    ") }
                == (isExpired ? ["c.plist:4:25: warning: the catalog expired on \(expires) [expired-catalog]"] : []))
    }

    @Test func `lint prints the source line of a finding from files in each text encoding`() throws {
        let tool = try Tool()
        let text = "<plist>\n<array>\n<dict/><key>é</key></array></plist>"
        var expected: String?
        for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            try tool.folder.write(#require(text.data(using: encoding)), to: "c.plist")
            let output = try tool.run("lint", "c.plist").output
            #expect(output.contains("\n    <dict/><key>é</key></array></plist>\n"), "\(encoding)")
            #expect(expected == nil || output == expected, "\(encoding)")
            expected = output
        }
    }

    @Test func `lint prints the part of a long source line that contains the finding`() throws {
        let tool = try Tool()
        let (before, after) = (String(repeating: "é", count: 500), String(repeating: "ß", count: 500))
        try tool.folder.write(
            PlistText.document("<array><!--\(before)--><dict/><!--\(after)--></array>"), to: "c.plist")
        let lines = try tool.run("lint", "c.plist").lines

        let shown = lines[1].unicodeScalars
        #expect(shown.count == 4 + 160)
        #expect(lines[1].hasPrefix("    …é"))
        #expect(lines[1].hasSuffix("ß"))
        #expect(lines[2].hasSuffix(" ^"))
        #expect(lines[1].dropFirst(lines[2].count - 1).hasPrefix("<dict/>"))
    }

    @Test func `a catalog in JSON is checked with lines and columns, and is not fixed in place`() throws {
        let tool = try Tool()
        let text = """
            {"products": [
              {"productIdentifier": "com.example.coins", "consumable": true, "storageKey": "coins",
               "productValue": "50"}
            ], "expires": "tomorrow"}

            """
        try tool.folder.write(text, to: "c.json")
        let lint = try tool.run("lint", "c.json")
        let fixed = try tool.run("lint", "--fix", "c.json")

        #expect(
            lint.lines.filter { !$0.hasPrefix(" ") } == [
                "c.json:3:20: error: productValue must be an integer, but this is a string [value-type]",
                "c.json:4:15: error: expires must be a date, but this is a string [root]",
            ])
        #expect(lint.lines.contains(#"       "productValue": "50"}"#))
        #expect(lint.status == 1)
        #expect(fixed.errors == "vitrine: c.json: only property lists in XML and UTF-8 can be fixed\n")
        #expect(try String(contentsOf: tool.folder["c.json"], encoding: .utf8) == text)
    }

    @Test(arguments: [
        ("{\n  \"products\": [],\n}", "c.json:2:17: error: JSON does not allow a comma after the last value"),
        ("[{\"productIdentifier\": null}]", "c.json:1:24: error: a property list has no null"),
    ])
    func `lint reports a syntax error in JSON with its position`(text: String, message: String) throws {
        let tool = try Tool()
        try tool.folder.write(text, to: "c.json")
        let lint = try tool.run("lint", "c.json")

        #expect(lint.status == 65)
        #expect(lint.lines.first?.hasPrefix(message) == true, "\(lint.output)")
    }
}
