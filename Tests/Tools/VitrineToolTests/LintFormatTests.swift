import Foundation
import Testing
import VitrineTestSupport

/// Output formats of `lint`, and the files that it checks.
@Suite(.blocksThreads, .hangLimit) struct LintFormatTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.folder.write(
            PlistText.document(
                """
                <array>
                \t<dict>
                \t\t<key>productIdentifier</key><string>guide</string>
                \t\t<key>consumable</key><false/><key>colour</key><true/>
                \t\t<key>consumable</key><false/>
                \t</dict>
                </array>
                """), to: "shop/c,1.plist")
    }

    @Test func `lint prints the source line of a finding with a caret under its column`() throws {
        let result = try tool.run("lint", "shop/c,1.plist")

        #expect(
            result.lines == [
                #"shop/c,1.plist:7:32: warning: the key "colour" is unknown and is ignored [unknown-key]"#,
                "    \t\t<key>consumable</key><false/><key>colour</key><true/>",
                "    \t\t                             ^",
                #"shop/c,1.plist:8:3: error: the key "consumable" is repeated in "guide" [duplicate-key]"#,
                "    \t\t<key>consumable</key><false/>", "    \t\t^",
                "shop/c,1.plist:7:3: note: the key is first used here",
                "    \t\t<key>consumable</key><false/><key>colour</key><true/>", "    \t\t^",
            ])
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test func `lint escapes terminal control characters and shortens long source lines`() throws {
        try tool.folder.write(
            PlistText.document("<array><true/><!--\u{9B}31m\(String(repeating: "x", count: 10_000))--></array>"),
            to: "c.plist")
        let result = try tool.run("lint", "c.plist")

        #expect(result.lines.count == 3)
        #expect(result.lines[1].hasPrefix(#"    <array><true/><!--\u{009B}31mxxx"#))
        #expect(result.lines[1].count < 200)
    }

    @Test func `lint --format github prints a workflow command for each finding`() throws {
        let result = try tool.run("lint", "--format", "github", "shop/c,1.plist")

        #expect(result.status == 1)
        #expect(
            result.lines == [
                #"::warning file=shop/c%2C1.plist,line=7,col=32,title=unknown-key::the key "colour" is unknown and is ignored"#,
                #"::error file=shop/c%2C1.plist,line=8,col=3,title=duplicate-key::the key "consumable" is repeated in "guide"%0Ashop/c,1.plist:7:3: the key is first used here"#,
            ])
    }

    @Test func `lint --format xcode prints absolute paths`() throws {
        let lines = try tool.run("lint", "--format", "xcode", "shop/c,1.plist").lines

        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("/") && $0.contains("/shop/c,1.plist:") })
        #expect(lines[2].hasSuffix(":7:3: note: the key is first used here"))
    }

    @Test func `lint --format sarif contains rules, locations and related locations`() throws {
        let log = try tool.run("lint", "--format", "sarif", "shop/c,1.plist").json
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        #expect(run["columnKind"] as? String == "unicodeCodePoints")
        let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let results = try #require(run["results"] as? [[String: Any]])

        #expect(results.map { $0["level"] as? String } == ["warning", "error"])
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
        }
        let location = try #require((results[1]["locations"] as? [[String: [String: Any]]])?.first?["physicalLocation"])
        #expect(
            location["artifactLocation"] as? [String: String] == [
                "uri": "shop/c,1.plist", "uriBaseId": "%SRCROOT%",
            ])
        #expect((location["region"] as? [String: Int]) == ["startLine": 8, "startColumn": 3])
        #expect((results[1]["relatedLocations"] as? [Any])?.count == 1)
    }

    @Test func `SARIF output names files in the current folder by relative paths and other files by URLs`() throws {
        let (file, outside) = (tool.folder["shop/c,1.plist"].path(), try TemporaryFolder())
        try FileManager.default.copyItem(at: tool.folder["shop/c,1.plist"], to: outside["c.plist"])
        #expect(try artifact(file) == ["uri": "shop/c,1.plist", "uriBaseId": "%SRCROOT%"])
        #expect(try artifact(outside["c.plist"].path()) == ["uri": outside["c.plist"].absoluteString])

        let input = try tool.run("lint", "--format", "sarif", "-").json
        let run = try #require((input["runs"] as? [[String: Any]])?.first)
        let result = try #require((run["results"] as? [[String: Any]])?.first)
        let location = try #require((result["locations"] as? [[String: [String: Any]]])?.first?["physicalLocation"])
        let described = try #require(location["artifactLocation"] as? [String: [String: String]])
        #expect(described == ["description": ["text": "standard input"]])
    }

    /// Returns the location of the first diagnostic's file.
    private func artifact(_ path: String) throws -> [String: String]? {
        let log = try tool.run("lint", "--format", "sarif", path).json
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let result = try #require((run["results"] as? [[String: Any]])?.first)
        let location = try #require((result["locations"] as? [[String: [String: Any]]])?.first?["physicalLocation"])
        return location["artifactLocation"] as? [String: String]
    }

    @Test func `lint of a folder checks its property lists recursively, and the argument - reads standard input`()
        throws
    {
        try tool.folder.write(PlistText.document("<array/>"), to: "shop/deep/er/d.plist")
        try tool.folder.write("hello", to: "shop/.hidden/e.plist")
        try tool.folder.write("hello", to: "shop/readme.txt")
        let files = try #require(try tool.run("lint", "shop", "--json").json["files"] as? [[String: Any]])

        #expect(files.compactMap { $0["path"] as? String } == ["shop/c,1.plist", "shop/deep/er/d.plist"])
        #expect(try tool.run("lint", "-").status == 65)
    }

    @Test func `lint --strict exits with status 1 for a warning`() throws {
        try tool.folder.write(
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>"
                    + "<key>colour</key><true/></dict></array>"), to: "c.plist")

        #expect(try tool.run("lint", "c.plist").status == 0)
        #expect(try tool.run("lint", "--strict", "c.plist").status == 1)
        #expect(try tool.run("lint", "--strict", Repository.sample("Voyager.plist").path()).status == 0)
    }

    @Test func `lint --storekit reports differences between catalog and StoreKit configuration in both directions`()
        throws
    {
        let catalog = Repository.sample("Voyager.plist").path()
        let same = try tool.run("lint", catalog, "--storekit", Repository.sample("Voyager.storekit").path())
        #expect(same.status == 0)
        #expect(
            same.lines.filter { $0.contains("warning") } == [
                "\(catalog):283:2: warning: \"com.example.voyager.atlantis\" is not in the .storekit file [store-drift]"
            ])

        try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.storekit"), encoding: .utf8)
                .replacing("voyager.lisbon\"", with: "voyager.lissabon\"")
                .replacing("\"displayPrice\" : \"9.99\"", with: "\"displayPrice\" : \"\"")
                .replacing("\"type\" : \"Consumable\"", with: "\"type\" : \"NonConsumable\""),
            to: "other.storekit")
        let drift = try tool.run("lint", "--strict", catalog, "--storekit", "other.storekit")
        #expect(drift.status == 1)
        let messages = drift.lines.filter { $0.contains("warning: ") }
            .compactMap { $0.split(separator: "warning: ").last }
        #expect(
            messages == [
                #""com.example.voyager.lisbon" is not in the .storekit file [store-drift]"#,
                #""com.example.voyager.premium" has no price in the .storekit file and is not sold [store-drift]"#,
                #""com.example.voyager.coins50" is consumable in the catalog and nonConsumable in the .storekit file [store-drift]"#,
                #""com.example.voyager.coins500" is consumable in the catalog and nonConsumable in the .storekit file [store-drift]"#,
                #""com.example.voyager.atlantis" is not in the .storekit file [store-drift]"#,
                #"the .storekit file sells "com.example.voyager.lissabon", which is not in the catalog [store-drift]"#,
            ])
        #expect(try tool.run("lint", catalog, "--storekit", "none").status == 66)
        #expect(try tool.run("lint", catalog, "--storekit", catalog).status == 65)
    }

    @Test func `lint --rule-list lists every rule, and lint --explain explains each of them`() throws {
        let rules = try tool.run("lint", "--rule-list").lines.dropFirst().map { $0.prefix { $0 != " " } }
        #expect(rules.count > 25)
        #expect(rules == rules.sorted())
        #expect(Set(rules).count == rules.count)
        for rule in rules {
            let explained = try tool.run("lint", "--explain", String(rule))
            #expect(explained.status == 0)
            #expect(explained.output.hasPrefix("\(rule): "))
            #expect(explained.output.hasSuffix(".\n"))
        }
        let unknown = try tool.run("lint", "--explain", "weather")
        #expect(unknown.status == 1)
        #expect(unknown.errors == "vitrine: error: there is no rule \"weather\"; --rule-list lists the rules\n")
        let misspelled = try tool.run("lint", "--explain", "unknown-keys")
        #expect(misspelled.errors.hasSuffix("there is no rule \"unknown-keys\"; did you mean \"unknown-key\"?\n"))
    }

    @Test(
        arguments: [
            ["lint"], ["lint", "--rule-list", "c.plist"], ["lint", "--rule-list", "--explain", "root"],
            ["lint", "--format", "sarif", "--json", "c.plist"], ["lint", "--format", "html", "c.plist"],
        ]
    )
    func `lint refuses missing, contradictory and unknown arguments`(arguments: [String]) throws {
        #expect(try tool.run(arguments).status == 64)
    }
}
