import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct LintFixTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let broken = PlistText.document(
        """
        <array>
        \t<!-- the guides -->
        \t<dict><key>productIdentifier</key><string>guide</string>
        \t\t<key>consumable</key> <!-- sic --> <string>NO</string>
        \t\t<key>purchased</key>
        \t\t<true/>
        \t\t<key>productTitle</key><dict><key>en</key><string></string><key>de</key><string>Führer</string></dict>
        \t</dict>\r
        \t<dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
        \t\t<key>localStorageKey</key><string>c</string><key>productValue</key><real>50</real></dict>
        \t<dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
        \t\t<key>consumable</key><false/><key>maxChildren</key><integer>0</integer>
        \t\t<key>childProducts</key><array>
        \t\t\t<string>guide</string>
        \t\t\t<string>guide</string> <!-- again -->
        \t\t\t<string/>
        \t\t</array></dict>
        </array>
        """)

    private static let whole = PlistText.document(
        """
        <array>
        \t<!-- the guides -->
        \t<dict><key>productIdentifier</key><string>guide</string>
        \t\t<key>consumable</key> <!-- sic --> <false/>
        \t\t<key>productTitle</key><dict><key>de</key><string>Führer</string></dict>
        \t</dict>\r
        \t<dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
        \t\t<key>storageKey</key><string>c</string><key>productValue</key><integer>50</integer></dict>
        \t<dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
        \t\t<key>childProducts</key><array>
        \t\t\t<string>guide</string> <!-- again -->
        \t\t</array></dict>
        </array>
        """)

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: tool.folder.url.appending(path: name)), as: UTF8.self)
    }

    @Test func `lint --fix corrects findings that have one safe fix, and changes nothing else`() throws {
        try tool.folder.write(Self.broken, to: "a.plist")
        let url = tool.folder.url.appending(path: "a.plist")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path())
        let result = try tool.run("lint", "--fix", "a.plist")

        #expect(try text("a.plist") == Self.whole)
        #expect(result.lines.isEmpty)
        #expect(result.status == 0)
        #expect(
            result.errors.contains("vitrine: fixed: a.plist:13:70: change the value to the integer 50 [value-type]"))
        #expect(
            try FileManager.default.attributesOfItem(atPath: url.path())[.posixPermissions] as? Int == 0o640)
        #expect(try tool.files().keys.sorted() == ["a.plist"])
    }

    @Test func `a second lint --fix changes nothing, and the fixed findings are no longer reported`() throws {
        try tool.folder.write(Self.broken, to: "a.plist")
        _ = try tool.run("lint", "--fix", "a.plist")
        let second = try tool.run("lint", "--fix", "a.plist")

        #expect(try text("a.plist") == Self.whole)
        #expect(second.errors.isEmpty)
        #expect(try tool.run("lint", "--strict", "a.plist").status == 0)
    }

    @Test func `lint --fix --dry-run prints the changes as a diff and does not write the file`() throws {
        try tool.folder.write(
            PlistText.document("<array>\(product("a", "<key>maxChildren</key>\n<integer>0</integer>"))\n</array>"),
            to: "a.plist")
        let before = try text("a.plist")
        let result = try tool.run("lint", "--fix", "--dry-run", "a.plist")

        #expect(
            result.lines == [
                "--- a.plist", "+++ a.plist", "@@ -1,7 +1,6 @@",
                #" <?xml version="1.0" encoding="UTF-8"?>"#,
                #" <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
                #" <plist version="1.0">"#,
                "-<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/><key>maxChildren</key>",
                "-<integer>0</integer></dict>",
                "+<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict>",
                " </array>", " </plist>",
            ])
        #expect(result.errors == "vitrine: would fix: a.plist:5:1: remove maxChildren [max-children]\n")
        #expect(result.status == 0)
        #expect(try text("a.plist") == before)
    }

    @Test func `lint --fix reports findings that it cannot fix, and they determine the exit status`() throws {
        try tool.folder.write(
            PlistText.document(
                "<array>\(product("a", "<key>maxChildren</key><integer>0</integer><key>colour</key><true/>"))"
                    + "<dict/></array>"), to: "a.plist")
        let result = try tool.run("lint", "--fix", "a.plist")

        #expect(result.status == 1)
        #expect(result.output.contains("[missing-identifier]"))
        #expect(result.output.contains("[unknown-key]"))
        #expect(!result.output.contains("[max-children]"))
    }

    @Test func `lint --fix writes through a symbolic link and preserves the link`() throws {
        try tool.folder.write(Self.broken, to: "real.plist")
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder.url.appending(path: "a.plist").path(), withDestinationPath: "real.plist")
        #expect(try tool.run("lint", "--fix", "a.plist").status == 0)

        #expect(try text("real.plist") == Self.whole)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(
                atPath: tool.folder.url.appending(path: "a.plist").path()) == "real.plist")
    }

    @Test func `lint --fix leaves other hard links to a file unchanged and warns about them`() throws {
        let file = try tool.folder.write(Self.broken, to: "a.plist")
        try FileManager.default.linkItem(at: file, to: tool.folder["b.plist"])
        let result = try tool.run("lint", "--fix", "a.plist")
        #expect(result.status == 0)
        #expect(result.errors.hasSuffix("vitrine: warning: a.plist: other hard links to the file (1) are not fixed\n"))
        #expect(try text("a.plist") == Self.whole)
        #expect(try text("b.plist") == Self.broken)

        try tool.folder.write(Self.broken, to: "c.plist")
        #expect(!(try tool.run("lint", "--fix", "c.plist").errors.contains("hard links")))
    }

    /// Problems that `--fix` leaves unchanged, because there is more than one possible fix, or a comment would be lost.
    @Test(arguments: [
        "<key>productValue</key><integer>5</integer><key>productValue</key><integer>50</integer>"
            + "<key>productValue</key><integer>5</integer>",
        "<key>localStorageKey</key><string>coins</string><key>localStorageKey</key><string>gems</string>",
        "<key>storageKey</key><string>coins</string><key>storageKey</key><string></string>",
        "<key>storageKey</key><string>coins</string><key>localStorageKey</key><string>gems</string>",
        "<key>maxChildren</key><integer>1</integer><key>maxChildren</key><integer>0</integer>",
        "<key>hosted</key><true/><key>hosted</key><string>no</string>",
        "<key>productTitle</key><dict><key>en</key><string>a</string><key>en</key><string></string></dict>",
        "<key>productIcon</key> <!-- ticket 42 --> <string></string>",
        "<key>purchased</key><?keep this?><true/>",
        "<key>maxChildren</key><string>5<!--five--></string>",
        "<key>maxChildren</key><string>+5</string><key>hosted</key><string>perhaps</string>",
    ])
    func `lint --fix does not change values that have no single safe fix or that contain a comment`(_ keys: String)
        throws
    {
        try tool.folder.write(PlistText.document("<array>\(product("a", keys))</array>"), to: "a.plist")
        let before = try text("a.plist")
        let result = try tool.run("lint", "--fix", "a.plist")

        #expect(try text("a.plist") == before)
        #expect(result.errors.isEmpty)
        #expect(!result.lines.isEmpty)
    }

    @Test func `lint --fix applies thousands of fixes in one run`() throws {
        let products = (0..<3_000).map { product("p\($0)", "<key>maxChildren</key><integer>0</integer>\n") }
        try tool.folder.write(PlistText.document("<array>\n\(products.joined())</array>"), to: "a.plist")
        #expect(try tool.run("lint", "--fix", "a.plist").status == 0)

        let second = try tool.run("lint", "--fix", "--strict", "a.plist")
        #expect(second.status == 0)
        #expect(second.output.isEmpty)
        #expect(second.errors.isEmpty)
    }

    @Test(arguments: ["\n", "\r\n"], ["\n", ""])
    func `applying the diff of --dry-run gives the same file as lint --fix`(_ end: String, _ last: String) throws {
        let lines = Self.broken.replacing("\r", with: "").split(separator: "\n", omittingEmptySubsequences: true)
        try tool.folder.write(lines.joined(separator: end) + last, to: "a.plist")
        try tool.folder.write(lines.joined(separator: end) + last, to: "b.plist")
        let diff = try tool.run("lint", "--fix", "--dry-run", "a.plist").output
        _ = try tool.run("lint", "--fix", "b.plist")

        #expect(try Self.patched(lines.joined(separator: end) + last, diff) == text("b.plist"))
    }

    /// Applies a unified diff strictly: each line must be at the stated position.
    private static func patched(_ text: String, _ diff: String) throws -> String {
        let old = lines(text)
        var new: [String] = []
        var position = 0
        var last = ""
        for line in lines(diff).dropFirst(2) {
            let content = String(line.unicodeScalars.dropFirst())
            switch line.unicodeScalars.first {
            case "@":
                let start = try #require(line.split(separator: " ")[1].dropFirst().split(separator: ",").first)
                let target = try #require(Int(start)) - 1
                new += old[position..<target]
                position = target
            case "\\":
                if last != "-", let end = new.popLast() { new.append(String(end.unicodeScalars.dropLast())) }
                if last != "+" { #expect(position == old.count) }
            case "+": new.append(content)
            case "-", " ":
                // What has no line feed at its end says so in the next line.
                #expect(old[position] == content || old[position] + "\n" == content)
                if line.unicodeScalars.first == " " { new.append(content) }
                position += 1
            default: break
            }
            last = String(line.unicodeScalars.prefix(1))
        }
        return (new + old[position...]).joined()
    }

    /// Returns the lines of a text, each with its line feed.
    private static func lines(_ text: String) -> [String] {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0) + "\n"
        }
        let end = lines.last.map { String($0.unicodeScalars.dropLast()) } ?? ""
        return lines.dropLast() + (end.isEmpty ? [] : [end])
    }

    @Test func `lint --fix reports a file that it cannot write, leaves it unchanged, and continues with other files`()
        throws
    {
        // A folder takes the place of a device that is full: renaming a file over it fails, whoever asks.
        for name in ["a.plist", "z.plist"] { try tool.folder.write(Self.broken, to: name) }
        try FileManager.default.createDirectory(at: tool.folder["full"], withIntermediateDirectories: true)
        try tool.folder.write(Self.broken, to: "full/m.plist")
        let result = try tool.runWithFileSizeLimit(["lint", "--fix", "a.plist", "full/m.plist", "z.plist"])

        #expect(result.status == 74)
        #expect(try text("a.plist") == Self.broken)
        #expect(result.errors.contains("a.plist cannot be written: the file would be larger than is allowed"))
        #expect(result.output.contains("a.plist:13:70: error: productValue must be an integer"))
        #expect(result.output.contains("z.plist:13:70: error: productValue must be an integer"))
        #expect(try tool.files().keys.sorted() == ["a.plist", "full", "full/m.plist", "z.plist"])
    }

    @Test func `lint --fix leaves binary and UTF-16 property lists unchanged`() throws {
        try tool.folder.write(Self.broken, to: "a.plist")
        #expect(try tool.run("convert", "a.plist", "--to", "binary", "-o", "b.plist").status == 0)
        let utf16 = Data(try #require(Self.broken.replacing("UTF-8", with: "UTF-16").data(using: .utf16)))
        try utf16.write(to: tool.folder.url.appending(path: "c.plist"))
        let before = try tool.files()
        let result = try tool.run("lint", "--fix", "b.plist", "c.plist")

        #expect(
            result.errors
                == ["b", "c"].map { "vitrine: \($0).plist: only property lists in XML and UTF-8 can be fixed\n" }
                .joined() + "vitrine: 2 files checked: 7 errors and 10 warnings in 2 files\n")
        #expect(result.status == 1)
        #expect(try tool.files() == before)
    }

    @Test(arguments: [
        ["--dry-run", "a.plist"], ["--fix", "-"], ["--fix", "--dry-run", "--format", "json", "a.plist"],
    ])
    func `lint refuses invalid combinations of --fix, --dry-run and other arguments`(_ arguments: [String]) throws {
        #expect(try tool.run(["lint"] + arguments).status == 64)
    }

    // MARK: Baselines

    private func product(_ identifier: String, _ keys: String) -> String {
        "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\(keys)</dict>"
    }

    @Test func `lint --baseline hides known findings even if their lines have moved, and reports additional ones`()
        throws
    {
        let unknown = "<key>colour</key><true/>"
        try tool.folder.write(
            PlistText.document("<array>\(product("a", unknown))\(product("b", unknown))</array>"), to: "a.plist")
        let first = try tool.run("lint", "--format", "json", "a.plist")
        try tool.folder.write(first.output, to: "baseline.json")
        #expect(try tool.run("lint", "--strict", "--baseline", "baseline.json", "a.plist").status == 0)

        try tool.folder.write(
            PlistText.document(
                "<array>\n\n\(product("a", unknown))\(product("b", unknown))\n\(product("c", unknown))</array>"),
            to: "a.plist")
        let second = try tool.run("lint", "--strict", "--baseline", "baseline.json", "a.plist")

        #expect(second.lines.filter { !$0.hasPrefix("    ") }.count == 1)
        #expect(second.lines.first?.hasPrefix("a.plist:7:") == true)
        #expect(second.status == 1)
    }

    @Test func `a lint baseline matches a file regardless of the path that names it`() throws {
        try tool.folder.write(PlistText.document("<array><dict/></array>"), to: "shop/a.plist")
        let first = try tool.run("lint", "--format", "json", "shop/a.plist")
        try tool.folder.write(first.output, to: "baseline.json")

        for path in ["./shop/a.plist", "shop/../shop/a.plist", tool.folder["shop/a.plist"].path()] {
            #expect(try tool.run("lint", "--baseline", "baseline.json", path).status == 0, "\(path)")
        }
    }

    @Test func `errors that are listed in a lint baseline do not fail lint`() throws {
        try tool.folder.write(PlistText.document("<array><dict/></array>"), to: "a.plist")
        let first = try tool.run("lint", "--format", "json", "a.plist")
        #expect(first.status == 1)
        try tool.folder.write(first.output, to: "baseline.json")

        #expect(try tool.run("lint", "--baseline", "baseline.json", "a.plist").status == 0)
    }

    @Test func `lint --baseline refuses a file that is not a baseline`() throws {
        try tool.folder.write(Self.whole, to: "a.plist")
        let other = try tool.run("lint", "--baseline", "a.plist", "a.plist")
        #expect(other.status == 65)
        #expect(other.errors.contains("a.plist is not a baseline"))
        #expect(try tool.run("lint", "--baseline", "missing.json", "a.plist").status == 66)
    }

    // MARK: Other checks

    @Test func `lint checks identifier prefixes, resource files and signing requirements only on request`() throws {
        try tool.folder.write(
            PlistText.document(
                "<array>\(product("com.example.a", "<key>productIcon</key><string>a.png</string>"))</array>"),
            to: "a.plist")
        #expect(try tool.run("lint", "a.plist").lines.isEmpty)
        let result = try tool.run(
            "lint", "--app-prefix", "org.example.", "--signed", "--resources", ".", "a.plist")

        #expect(
            result.lines.filter { $0.hasPrefix("a.plist") }.map { $0.split(separator: " ").last } == [
                "[app-prefix]", "[signed-catalog]", "[signed-catalog]", "[missing-file]",
            ])
        #expect(result.status == 0)
    }
}
