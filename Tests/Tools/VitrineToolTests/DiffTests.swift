import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct DiffTests {
    private let tool: Tool
    private let sample = Repository.sample("Voyager.plist").path()

    init() throws { tool = try Tool() }

    @Test func `vitrine diff reports no changes for identical catalogs`() throws {
        let result = try tool.run("diff", sample, sample)

        #expect(result.output == "the new catalog changes nothing\n")
        #expect(result.status == 0)
    }

    @Test func `vitrine diff exits with status 1 if a change takes something away from customers`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(
            text.replacing("\t\t\t<string>com.example.voyager.vienna</string>\n", with: ""), to: "less.plist")
        let less = try tool.run("diff", sample, "less.plist")
        #expect(less.status == 1)
        #expect(
            less.lines == [
                #"takes away: com.example.voyager.everything no longer contains "com.example.voyager.vienna""#
            ])
        #expect(try tool.run("diff", "less.plist", sample).status == 0)

        try tool.folder.write(text.replacing("<integer>50</integer>", with: "<integer>60</integer>"), to: "more.plist")
        let more = try tool.run("diff", sample, "more.plist", "--json")
        #expect(more.status == 0)
        let change = try #require((try more.json["changes"] as? [[String: String]])?.first)
        #expect(change["effect"] == "offer")
        #expect(change["product"] == .voyager("coins50"))
        #expect(change["message"] == "has productValue 60 instead of 50")
    }

    @Test func `vitrine diff fails for missing files, invalid files and missing arguments`() throws {
        try tool.folder.write("text", to: "text")

        #expect(try tool.run("diff", sample, "none").status == 66)
        #expect(try tool.run("diff", "text", sample).status == 65)
        #expect(try tool.run("diff", sample).status == 64)
    }

    @Test func `vitrine diff of two folders compares the catalogs that have the same relative path`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(text, to: "old/Shop/Voyager.plist")
        try tool.folder.write(
            text.replacing("<integer>50</integer>", with: "<integer>60</integer>"), to: "new/Shop/Voyager.plist")
        try tool.folder.write(PlistText.document("<array><string>com.example.a</string></array>"), to: "new/b.plist")
        for folder in ["old", "new"] {
            try tool.folder.write(PlistText.document("<dict/>"), to: "\(folder)/Info.plist")
        }
        let result = try tool.run("diff", "old", "new")

        #expect(result.status == 0)
        #expect(
            result.lines == [
                "Shop/Voyager.plist: offer: com.example.voyager.coins50 has productValue 60 instead of 50",
                "b.plist: offer: com.example.a is new",
            ])
        #expect(try tool.run("diff", "old", "old").output == "the catalogs change nothing\n")
        #expect(try tool.run("diff", "old", sample).status == 64)
        #expect(try tool.run("diff", "old", "missing").status == 66)
        let json = try tool.run("diff", "old", "new", "--format", "json")
        #expect(
            (try json.json["catalogs"] as? [[String: Any]])?.map { $0["path"] as? String } == [
                "Shop/Voyager.plist", "b.plist",
            ])

        try tool.folder.write("<plist><array><dict><key>productIdentifier</key>", to: "new/b.plist")
        let broken = try tool.run("diff", "old", "new")
        #expect(broken.status == 65)
        #expect(broken.output.contains("b.plist: not compared: b.plist after the change:"))
        #expect(try tool.run("diff", "new", "new").status == 0)
    }

    @Test func `a catalog with its keys in another order changes nothing`() throws {
        let sorted = try tool.run("convert", sample, "--to", "xml", "-o", "sorted.plist")
        #expect(sorted.status == 0)
        #expect(try tool.run("diff", sample, "sorted.plist").output == "the new catalog changes nothing\n")

        func catalog(_ title: String) -> String {
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>"
                    + "<key>productTitle</key><dict>\(title)</dict></dict></array>")
        }
        let (italian, german) = ("<key>it</key><string>Uno</string>", "<key>de</key><string>Eins</string>")
        try tool.folder.write(catalog(italian + german), to: "a.plist")
        try tool.folder.write(catalog(german + italian), to: "b.plist")
        try tool.folder.write(catalog(german + italian.replacing("Uno", with: "Una")), to: "c.plist")
        #expect(try tool.run("diff", "a.plist", "b.plist").output == "the new catalog changes nothing\n")
        #expect(try tool.run("diff", "a.plist", "c.plist").output == "safe: a has a different productTitle\n")
    }

    @Test func `the changes of all catalogs are listed with the gravest first`() throws {
        func catalog(_ products: [(name: String, keys: String)]) -> String {
            PlistText.document(
                "<array>"
                    + products.map { name, keys in
                        "<dict><key>productIdentifier</key><string>\(name)</string><key>consumable</key><false/>"
                            + "\(keys)</dict>"
                    }.joined() + "</array>")
        }
        let child = "<key>childProducts</key><array><string>a</string></array>"
        let version = "<key>minimumAppVersion</key><string>2.0</string>"
        let icon = "<key>productIcon</key><string>https://example.com/a.png</string>"
        let old = catalog([("a", ""), ("b", ""), ("all", child)])
        for path in ["old/1.plist", "old/2.plist"] { try tool.folder.write(old, to: path) }
        try tool.folder.write(catalog([("a", icon), ("b", version), ("all", child), ("c", "")]), to: "new/1.plist")
        try tool.folder.write(catalog([("a", icon), ("b", ""), ("all", "")]), to: "new/2.plist")
        let result = try tool.run("diff", "old", "new")

        #expect(
            result.lines == [
                #"2.plist: takes away: all no longer contains "a""#,
                "1.plist: breaks older apps: b is no longer offered to apps before version 2.0",
                "1.plist: offer: c is new",
                "1.plist: safe: a has a different productIcon",
                "2.plist: safe: a has a different productIcon",
            ])
        let changes = try #require(
            try tool.run("diff", "old/1.plist", "new/1.plist", "--json").json["changes"] as? [[String: Any]])
        #expect(changes.map { $0["effect"] as? String } == ["olderApps", "offer", "safe"])
    }

    @Test func `vitrine diff of two folders passes over files that are no catalogs and cannot be read`() throws {
        for (path, text) in [
            "a.plist": "{ a = b; }", "b.plist": "", "c.plist": "version https://git-lfs.github.com/spec/v1\n",
            "d.plist": "<plist><array>",
        ] {
            try tool.folder.write(text, to: "old/\(path)")
            try tool.folder.write(text + " ", to: "new/\(path)")
        }
        let result = try tool.run("diff", "old", "new")
        #expect(result.status == 0)
        #expect(result.output == "the catalogs change nothing\n")

        // A catalog that has become one of them is compared.
        try tool.folder.write(PlistText.document("<array><string>com.example.a</string></array>"), to: "old/b.plist")
        #expect(try tool.run("diff", "old", "new").status == 65)
    }

    @Test func `vitrine diff of two folders reports a catalog that has become too large to compare`() throws {
        let large = PlistText.document("<array><string>\(String(repeating: "x", count: 17_000_000))</string></array>")
        for folder in ["old", "new"] {
            try tool.folder.write(large + (folder == "new" ? "<!-- -->" : ""), to: "\(folder)/Cities.plist")
        }
        #expect(try tool.run("diff", "old", "new").output == "the catalogs change nothing\n")

        try tool.folder.write(
            PlistText.document("<array><string>com.example.a</string></array>"), to: "old/Cities.plist")
        let result = try tool.run("diff", "old", "new")
        #expect(result.status == 65)
        #expect(result.output.hasPrefix("Cities.plist: not compared: Cities.plist after the change"))
    }

    @Test func `vitrine diff does not report products with errors as removed`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(text.replacing("<integer>50</integer>", with: "<string>50</string>"), to: "wrong.plist")
        let result = try tool.run("diff", sample, "wrong.plist")

        #expect(result.output == "offer: com.example.voyager.coins50 has errors now, and is not sold\n")
        #expect(result.errors.contains("wrong.plist has products with errors, which are not compared"))

        try tool.folder.write(
            text.replacing("<key>productIdentifier</key>", with: "<key>productIdentifer</key>"), to: "unnamed.plist")
        let unnamed = try tool.run("diff", sample, "unnamed.plist")
        #expect(unnamed.status == 65)
        #expect(unnamed.output.hasPrefix("not compared: unnamed.plist has errors"))
    }
}
