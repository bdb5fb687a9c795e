import Foundation
import Testing
import VitrineTestSupport

/// What a team turns off and leaves out: settings beside catalogs, and options.
@Suite(.blocksThreads, .hangLimit) struct LintSettingsCommandTests {
    private let tool: Tool
    private static let warned = PlistText.document(
        "<array><dict><key>productIdentifier</key><string>a.b</string><key>consumable</key><false/>"
            + "<key>colour</key><true/></dict></array>")
    private static let faulty = PlistText.document("<array><dict><key>consumable</key><false/></dict></array>")

    init() throws { tool = try Tool() }

    private func settings(_ body: String, in folder: String) throws {
        try tool.folder.write(PlistText.document("<dict>\(body)</dict>"), to: "\(folder)/.vitrine-lint.plist")
    }

    private static func strings(_ key: String, _ values: String...) -> String {
        "<key>\(key)</key><array>\(values.map { "<string>\($0)</string>" }.joined())</array>"
    }

    @Test func `settings apply to catalogs in their folder and below, and the nearest ones alone`() throws {
        try tool.folder.write(Self.warned, to: "App/Shop/a.plist")
        #expect(try tool.run("lint", "--strict", "App").status == 1)
        try settings(Self.strings("disabledRules", "unknown-key"), in: "App")
        for path in ["App", ".", "App/Shop/a.plist", tool.folder["App/Shop/a.plist"].path()] {
            let result = try tool.run("lint", "--strict", path)
            #expect(result.status == 0, "\(path)")
            #expect(result.output.isEmpty, "\(path)")
        }
        try settings("", in: "App/Shop")
        #expect(try tool.run("lint", "--strict", "App").status == 1)
    }

    @Test func `named settings apply to all catalogs instead of those beside them`() throws {
        try tool.folder.write(Self.warned, to: "App/a.plist")
        try settings(Self.strings("disabledRules", "unknown-key"), in: "App")
        try tool.folder.write(PlistText.document("<dict/>"), to: "strict.plist")
        #expect(try tool.run("lint", "--strict", "App").status == 0)
        #expect(try tool.run("lint", "--strict", "--settings", "strict.plist", "App").status == 1)
        let missing = try tool.run("lint", "--settings", "missing.plist", "App")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("error: missing.plist: there is no such file"))
    }

    @Test func `settings above a repository do not apply in it`() throws {
        try tool.folder.write(Self.warned, to: "App/a.plist")
        try settings(Self.strings("disabledRules", "unknown-key"), in: ".")
        #expect(try tool.run("lint", "--strict", "App").status == 0)
        try FileManager.default.createDirectory(at: tool.folder["App/.git"], withIntermediateDirectories: true)
        #expect(try tool.run("lint", "--strict", "App").status == 1)
    }

    @Test func `settings change severities, and cannot hide an error`() throws {
        try tool.folder.write(Self.warned, to: "App/a.plist")
        try settings(
            "<key>severities</key><dict><key>unknown-key</key><string>error</string></dict>", in: "App")
        #expect(try tool.run("lint", "App").status == 1)

        try tool.folder.write(Self.faulty, to: "App/a.plist")
        try settings(
            Self.strings("disabledRules", "missing-identifier")
                + "<key>severities</key><dict><key>missing-identifier</key><string>note</string></dict>", in: "App")
        let result = try tool.run("lint", "App")
        #expect(result.status == 1)
        #expect(result.output.contains("error: "))
    }

    @Test func `mistakes in settings are reported with their place`() throws {
        try tool.folder.write(Self.warned, to: "App/a.plist")
        try settings(Self.strings("disabledRules", "unknown-keys"), in: "App")
        let result = try tool.run("lint", "App")
        #expect(result.status == 0)
        #expect(
            result.lines.first
                == #"App/.vitrine-lint.plist:4:38: warning: there is no rule "unknown-keys"; did you mean "unknown-key"? [lint-settings]"#
        )
        #expect(try tool.run("lint", "--strict", "App").status == 1)

        try tool.folder.write("<plist><dict>", to: "App/.vitrine-lint.plist")
        let broken = try tool.run("lint", "App")
        #expect(broken.status == 65)
        #expect(broken.output.contains("App/.vitrine-lint.plist:"))
        #expect(broken.output.contains("App/a.plist:"))
    }

    @Test func `excluded files and folders are not checked, from whatever folder they are found`() throws {
        for path in ["App/Old/a.plist", "App/Tests/b.plist", "App/c.plist"] {
            try tool.folder.write(Self.faulty, to: path)
        }
        try settings(Self.strings("excluded", "Old/", "/Tests/*.plist"), in: "App")
        for path in [".", "App", tool.folder["App"].path()] {
            let result = try tool.run("lint", path)
            #expect(result.lines.filter { $0.contains("error: ") }.count == 1, "\(path)")
            #expect(result.errors.contains("1 folder left out, 1 file left out; --verbose names them"), "\(path)")
        }
        #expect(
            try tool.run("lint", "App", "--json").json["leftOut"] as? [String] == ["App/Old/", "App/Tests/b.plist"])
        // A named file is checked, unless files are only candidates, as for a hook.
        #expect(try tool.run("lint", "App/Old/a.plist").status == 1)
        #expect(try tool.run("lint", "--only-catalogs", "App/Old/a.plist").status == 0)
    }

    @Test func `lint --exclude leaves out files and folders relative to the current folder`() throws {
        for path in ["App/Old/a.plist", "App/b.plist", "b.plist"] { try tool.folder.write(Self.faulty, to: path) }
        func checked(_ arguments: String...) throws -> [String] {
            let files = try #require(try tool.run(["lint", "--json"] + arguments).json["files"] as? [[String: Any]])
            return files.compactMap { $0["path"] as? String }
        }
        #expect(try checked("--exclude", "Old", ".") == ["./App/b.plist", "./b.plist"])
        #expect(try checked("--exclude", "/b.plist", ".") == ["./App/Old/a.plist", "./App/b.plist"])
        #expect(try checked("--exclude", "App/*.plist", "--exclude", "App/Old", "App", ".") == ["./b.plist"])
        #expect(try tool.run("lint", "--exclude", "../x", ".").status == 64)
    }

    @Test func `patterns are relative to the checked folder if that is elsewhere, and may be absolute`() throws {
        let elsewhere = try TemporaryFolder()
        for path in ["Old/a.plist", "Shop/Old/a.plist", "c.plist"] { try elsewhere.write(Self.faulty, to: path) }
        let root = elsewhere.url.path()
        func leftOut(_ arguments: String...) throws -> [String] {
            let paths = try tool.run(["lint", "--json"] + arguments + [root]).json["leftOut"] as? [String] ?? []
            return paths.compactMap { $0.hasPrefix(root) ? String($0.dropFirst(root.count)) : nil }
                .map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
        }
        #expect(try leftOut("--exclude", "Old/a.plist") == ["Old/a.plist"])
        #expect(try leftOut("--exclude", "/Old") == ["Old/"])
        #expect(try leftOut("--exclude", elsewhere["Shop"].path()) == ["Shop/"])
        #expect(try leftOut("--exclude", root) == [])
        try settings(Self.strings("excluded", "Shop/Old"), in: "Rules")
        #expect(try leftOut("--settings", "Rules/.vitrine-lint.plist") == ["Shop/Old/"])
        // The files of a hook have no folder in common.
        let named = try tool.run("lint", "--only-catalogs", "--exclude", "c.*", elsewhere["c.plist"].path())
        #expect(named.status == 0)
    }

    @Test func `diff of folders leaves out what lint leaves out of the new one`() throws {
        for path in ["old/App/Old/a.plist", "old/App/Tests/b.plist", "new/App/Tests/c.plist"] {
            try tool.folder.write(Self.warned, to: path)
        }
        let all = try tool.run("diff", "old", "new").output
        for path in ["App/Old/a.plist: ", "App/Tests/b.plist: ", "App/Tests/c.plist: "] { #expect(all.contains(path)) }
        try settings(Self.strings("excluded", "Old", "/Tests/*.plist"), in: "new/App")
        let result = try tool.run("diff", "old", "new")
        #expect(result.status == 0)
        #expect(result.output == "the catalogs change nothing\n")
        try FileManager.default.removeItem(at: tool.folder["new/App/.vitrine-lint.plist"])
        let excluded = try tool.run("diff", "--exclude", "Old", "--exclude", "new/App/Tests", "old", "new")
        #expect(excluded.output == "the catalogs change nothing\n")

        let missing = try tool.run("diff", "--settings", "missing.plist", "old", "new")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("warning: missing.plist: there is no such file"))
    }

    @Test func `lint --fix leaves alone what settings or the product ignore`() throws {
        let spelling = "<key>localStorageKey</key><string>coins</string><key>productValue</key><integer>5</integer>"
        func catalog(_ keys: String) -> String {
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a.b</string><key>consumable</key><true/>"
                    + "\(spelling)\(keys)</dict></array>")
        }
        let ignoring = catalog(Self.strings("ignoredRules", "old-spelling"))
        try tool.folder.write(ignoring, to: "a.plist")
        #expect(try tool.run("lint", "--strict", "--fix", "a.plist").status == 0)
        #expect(try String(contentsOf: tool.folder["a.plist"], encoding: .utf8) == ignoring)

        try tool.folder.write(catalog(""), to: "a.plist")
        try settings(Self.strings("disabledRules", "old-spelling"), in: ".")
        #expect(try tool.run("lint", "--strict", "--fix", "a.plist").status == 0)
        #expect(try String(contentsOf: tool.folder["a.plist"], encoding: .utf8) == catalog(""))
        try FileManager.default.removeItem(at: tool.folder[".vitrine-lint.plist"])
        #expect(try tool.run("lint", "--fix", "a.plist").status == 0)
        #expect(try String(contentsOf: tool.folder["a.plist"], encoding: .utf8) != catalog(""))
    }
}
