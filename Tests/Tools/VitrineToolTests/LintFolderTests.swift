import Foundation
import Testing
import VitrineTestSupport

/// Files that `lint` checks in a folder, and its summary.
@Suite(.blocksThreads, .hangLimit) struct LintFolderTests {
    private let tool: Tool
    private static let product =
        "<array><dict><key>productIdentifier</key><string>a.b</string><key>consumable</key><false/></dict></array>"
    private static let other = "<dict><key>CFBundleName</key><string>App</string></dict>"

    init() throws { tool = try Tool() }

    @Test func `lint of a folder skips property lists that are not catalogs, but reports broken files`() throws {
        try tool.folder.write(PlistText.document(Self.product), to: "App/Shop.plist")
        try tool.folder.write(PlistText.document(Self.other), to: "App/Info.plist")
        let result = try tool.run("lint", "App")
        #expect(result.status == 0)
        #expect(
            result.errors
                == "vitrine: 1 file checked: 0 errors and 0 warnings in 0 files; 1 file passed over: no catalogs\n"
        )
        #expect(try tool.run("lint", "App", "--json").json["passedOver"] as? [String] == ["App/Info.plist"])
        #expect(try tool.run("lint", "App/Info.plist").status == 1)
        #expect(try tool.run("lint", "--only-catalogs", "App/Info.plist").status == 0)

        try tool.folder.write(
            "<plist><array><dict><key>productIdentifier</key><string>a.b</string>", to: "App/Broken.plist")
        #expect(try tool.run("lint", "App").status == 65)
    }

    @Test func `lint of a folder skips files that are too large for a catalog, and warns about them`() throws {
        try tool.folder.write(PlistText.document(Self.product), to: "App/Shop.plist")
        try tool.folder.write(
            PlistText.document("<array><string>\(String(repeating: "x", count: 17_000_000))</string></array>"),
            to: "App/Cities.plist")
        let result = try tool.run("lint", "App")

        #expect(result.status == 0)
        #expect(
            result.errors.hasPrefix(
                "vitrine: warning: App/Cities.plist is not checked: it is larger than 16777216 bytes\n"))
        #expect(try tool.run("lint", "App/Cities.plist").status == 65)
    }

    @Test func `lint of a folder without catalogs succeeds and counts the files that were passed over`() throws {
        try tool.folder.write(PlistText.document(Self.other), to: "App/Info.plist")
        let line = "vitrine: no catalog in App: 1 file passed over: no catalogs\n"
        for options in [[], ["--only-catalogs"], ["--strict"], ["--format", "github"]] {
            let result = try tool.run(["lint"] + options + ["App"])
            #expect(result.status == 0, "\(options)")
            #expect(result.errors == line, "\(options)")
            #expect(result.output.isEmpty)
        }
        #expect(try tool.run("lint", "--default-folder", "App").errors == line)

        try FileManager.default.createDirectory(at: tool.folder["Empty"], withIntermediateDirectories: true)
        let both = try tool.run("lint", "App", "Empty")
        #expect(both.status == 0)
        #expect(both.errors == line + "vitrine: no catalog in Empty: it has no property lists\n")
        #expect(try tool.run("lint", "--default-folder", "App", "missing.plist").status == 66)
        #expect(try tool.run("lint", "Missing").status == 66)
        #expect(try tool.run("lint", "--default-folder", "App", "--explain", "root").status == 0)
        #expect(try tool.run("lint").status == 64)
    }

    @Test(arguments: ["product", "Product", "prodcts", "prodcuts"])
    func `a catalog with a misspelled key at its root is found, and the error names the key that was meant`(key: String)
        throws
    {
        try tool.folder.write(
            PlistText.document("<dict><key>\(key)</key>\(Self.product)</dict>"), to: "App/Shop.plist")
        for arguments in [["App"], ["--only-catalogs", "App/Shop.plist"], ["App/Shop.plist"]] {
            let result = try tool.run(["lint"] + arguments)
            #expect(result.status == 1, "\(arguments)")
            #expect(
                result.lines.first
                    == "App/Shop.plist:4:7: error: the catalog has the unknown key \"\(key)\"; did you mean \"products\"? [root]",
                "\(arguments)")
        }
        let doctor = try tool.run("doctor", "--catalog", "App/Shop.plist")
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("did you mean \"products\"?"))
    }

    @Test func `a catalog in JSON that begins with a comment is not passed over, and the error names the comment`()
        throws
    {
        try tool.folder.write(
            "// Shop\n[{\"productIdentifier\": \"com.example.a\", \"consumable\": true}]\n", to: "App/Shop.json")
        for arguments in [["App"], ["--only-catalogs", "App/Shop.json"], ["App/Shop.json"]] {
            let result = try tool.run(["lint"] + arguments)
            #expect(result.status == 65, "\(arguments)")
            #expect(
                result.lines.first
                    == "App/Shop.json:1:1: error: expected a value, but found a comment, which JSON does not have "
                    + "[not-a-property-list]")
        }
    }

    @Test func `lint of a hundred files prints a summary at the end`() throws {
        for number in 0..<100 {
            let body = number == 7 ? "<array><dict><key>consumable</key><false/></dict></array>" : Self.product
            try tool.folder.write(PlistText.document(body), to: "Catalogs/\(number).plist")
        }
        let result = try tool.run("lint", "Catalogs")

        #expect(result.status == 1)
        #expect(result.errors == "vitrine: 100 files checked: 1 error and 0 warnings in 1 file\n")
        #expect(try tool.run("lint", "--format", "github", "Catalogs").errors.isEmpty)
    }

    @Test func `lint --stamp writes the stamp file only if the catalogs have no errors`() throws {
        try tool.folder.write(PlistText.document(Self.product), to: "Shop.plist")
        #expect(try tool.run("lint", "--stamp", "Shop.plist", "Shop.plist").status == 64)
        #expect(try tool.run("lint", "--stamp", "Stamp.swift", "Shop.plist").status == 0)
        #expect(tool.folder.has("Stamp.swift"))

        try tool.folder.write(PlistText.document("<array><dict/></array>"), to: "Shop.plist")
        #expect(try tool.run("lint", "--stamp", "Other.swift", "Shop.plist").status == 1)
        #expect(!tool.folder.has("Other.swift"))
    }

    @Test func `lint --format gitlab prints a report with a stable fingerprint for each finding`() throws {
        try tool.folder.write(
            PlistText.document(
                "<array><dict><key>consumable</key><false/></dict>\n<dict><key>consumable</key><false/></dict></array>"),
            to: "Shop.plist")
        func report() throws -> [[String: Any]] {
            let output = try tool.run("lint", "--format", "gitlab", "Shop.plist", "missing.plist").output
            return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        }
        let issues = try report()

        #expect(issues.map { $0["check_name"] as? String } == ["missing-identifier", "missing-identifier", "failure"])
        #expect(issues.map { $0["severity"] as? String } == ["major", "major", "major"])
        let places = issues.compactMap { $0["location"] as? [String: Any] }
        #expect(places.map { $0["path"] as? String } == ["Shop.plist", "Shop.plist", "missing.plist"])
        #expect(places.map { ($0["lines"] as? [String: Int])?["begin"] } == [4, 5, 1])
        let prints = issues.compactMap { $0["fingerprint"] as? String }
        #expect(Set(prints).count == 3)

        // A line above changes no fingerprint.
        let text = try String(contentsOf: tool.folder["Shop.plist"], encoding: .utf8)
        try tool.folder.write(text.replacing("<array>", with: "\n<array>"), to: "Shop.plist")
        #expect(try report().compactMap { $0["fingerprint"] as? String } == prints)
    }

    @Test func `vitrine-catalogs prints the same output as vitrine for lint, diff and schema`() throws {
        var small = tool
        small.executable = Bundle.main.bundleURL.appending(path: "vitrine-catalogs")
        try tool.folder.write(PlistText.document("<array><dict/></array>"), to: "Shop.plist")
        for arguments in [["lint", "Shop.plist"], ["diff", "Shop.plist", "Shop.plist"], ["schema"]] {
            let (one, other) = (try tool.run(arguments), try small.run(arguments))
            #expect(one.output == other.output && one.errors == other.errors && one.status == other.status)
            #expect(!one.output.isEmpty)
        }
    }

    @Test(.enabled(if: getuid() != 0, "a superuser may read everything"))
    func `lint of a folder with an unreadable subfolder fails`() throws {
        try tool.folder.write(PlistText.document(Self.product), to: "App/Deep/Shop.plist")
        let folder = tool.folder["App/Deep"].path()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }

        #expect(try tool.run("lint", "App").status == 74)
    }

    @Test func `files and folders with a name that is not UTF-8 are passed over and named, and all others are checked`()
        throws
    {
        try tool.folder.write(PlistText.document(Self.product), to: "App/Shop.plist")
        let made = try PeerTool.shell.run(
            "-c", #"cd "$0" && printf x > "$(printf 'caf\351').plist" && mkdir "$(printf 'd\377')""#,
            tool.folder["App"].path())
        // Some file systems do not accept such a name.
        guard made.status == 0 else { return }
        let result = try tool.run("lint", "App")

        #expect(result.status == 0)
        #expect(
            result.errors
                == "vitrine: 1 file checked: 0 errors and 0 warnings in 0 files; "
                + "2 files passed over: no catalogs (2 cannot be read); --verbose names them\n")
        #expect(
            try tool.run("lint", "--verbose", "App").errors.contains(
                #"passed over: App/caf\xE9.plist: a name that is not UTF-8"#))
        #expect(
            try tool.run("lint", "App", "--json").json["passedOver"] as? [String]
                == [#"App/caf\xE9.plist"#, #"App/d\xFF"#])

        try tool.folder.write(
            PlistText.document("<array><dict><key>consumable</key><false/></dict></array>"), to: "App/Deep/Shop.plist")
        #expect(try tool.run("lint", "App").output.contains("App/Deep/Shop.plist:4:8: error"))
        #expect(
            try tool.run("diff", "App", "App").errors.contains(
                #"warning: App/caf\xE9.plist is not compared: a name that is not UTF-8"#))
    }
}
