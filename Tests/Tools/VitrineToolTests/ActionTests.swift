import Foundation
import Testing
import VitrineTestSupport

/// Script of the GitHub action for pull requests, run in new repositories.
@Suite(.blocksThreads, .enabled(if: PeerTool.git.isInstalled, "git is not installed"), .hangLimit)
struct ActionTests {
    /// Line that begins a comment about the paths `.`; the number is what `cksum` prints for them.
    private static let marker = "<!-- vitrine: changes of catalogs 3989046790 -->\n"

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var from = ""
        var to = ""
        let comment: String
    }

    @Test(arguments: [
        Case(
            testDescription: "another number of units for the same price", from: "<integer>50</integer>",
            to: "<integer>40</integer>",
            comment: """
                ### Catalogs

                1 change of offers in `Catalogs/Voyager.plist`.

                **Changes what customers can buy**

                - `com.example.voyager.coins50` has productValue 40 instead of 50

                """),
        Case(
            testDescription: "a child less", from: "\t\t\t<string>com.example.voyager.vienna</string>\n",
            comment: """
                ### Catalogs

                1 change that takes something away from customers in `Catalogs/Voyager.plist`.

                **Takes something away from customers**

                - `com.example.voyager.everything` no longer contains `com.example.voyager.vienna`

                """),
        Case(
            testDescription: "a new product", from: "<array>\n\t<dict>",
            to: "<array>\n\t<dict><key>productIdentifier</key><string>com.example.voyager.oslo</string>"
                + "<key>consumable</key><false/></dict>\n\t<dict>",
            comment: """
                ### Catalogs

                1 change of offers in `Catalogs/Voyager.plist`.

                **Changes what customers can buy**

                - `com.example.voyager.oslo` is new

                """),
        Case(
            testDescription: "a change that no customer sees", from: "<array>\n", to: "<array>\n<!-- products -->\n",
            comment: """
                ### Catalogs

                Nothing changes for customers.

                """),
    ])
    func `the pull request comment lists the changes that affect customers`(_ test: Case) throws {
        let repository = try CatalogChange()
        try repository.change(test.from, to: test.to)
        let result = try repository.runAction()

        #expect(result.comment == Self.marker + test.comment)
        #expect(result.status == 0)
    }

    @Test func `the pull request comment names added and removed catalogs, but no property lists of other kinds`()
        throws
    {
        let repository = try CatalogChange()
        try repository.git("mv", "Catalogs/Voyager.plist", "Catalogs/Reisen & Führer 旅.plist")
        try repository.folder.write(
            PlistText.document("<dict><key>CFBundleName</key><string>Traveler</string></dict>"), to: "App/Info.plist")
        try repository.commit("move")
        let comment = try #require(try repository.runAction().comment)

        #expect(comment.contains("\n> `Catalogs/Reisen & Führer 旅.plist` is added.\n"))
        #expect(comment.contains("\n> `Catalogs/Voyager.plist` is removed.\n"))
        #expect(comment.contains("\n- `com.example.voyager.lisbon` is new, in `Catalogs/Reisen & Führer 旅.plist`\n"))
        #expect(!comment.contains("Info.plist"))
    }

    @Test(arguments: [".", "Catalogs"])
    func `the pull request comment leaves out what the settings of the repository leave out`(paths: String) throws {
        let repository = try CatalogChange()
        let excluded = "<key>excluded</key><array><string>Catalogs/Voyager.plist</string></array>"
        try repository.folder.write(PlistText.document("<dict>\(excluded)</dict>"), to: ".vitrine-lint.plist")
        try repository.change("<integer>50</integer>", to: "<integer>40</integer>")
        let result = try repository.runAction(paths: paths)

        #expect(result.status == 0)
        #expect(result.comment?.hasSuffix("### Catalogs\n\nNothing changes for customers.\n") == true)
    }

    @Test func `lint findings are printed as GitHub annotations and determine the exit status`() throws {
        let repository = try CatalogChange()
        try repository.change("<key>storageKey</key>", to: "<key>storageKy</key>")
        let result = try repository.runAction()

        #expect(result.status == 1)
        #expect(result.output.contains("::error file=Catalogs/Voyager.plist,line="))
        #expect(
            result.comment?.contains(
                "> `Catalogs/Voyager.plist after the change has products with errors, which are not compared; "
                    + "'vitrine lint' shows them`") == true)
        #expect(result.comment?.contains("is removed") == false)
    }

    @Test func `the GitHub action reports a missing base branch and makes no comparison`() throws {
        let repository = try CatalogChange()
        let result = try repository.runAction(base: "release/1.0")

        #expect(result.status == 66)
        #expect(result.output.contains("::error::the base branch release/1.0 is not there: nothing was compared"))
        #expect(result.comment == nil)
        #expect(try repository.runAction(base: "").status == 0)
    }

    @Test func `the GitHub action reports a path that does not exist`() throws {
        let result = try CatalogChange().runAction(paths: "Catalogs\nShop Catalogs\n")

        #expect(result.status == 66)
        #expect(result.output.contains("Shop Catalogs"))
    }

    @Test func `the GitHub action succeeds in a repository without catalogs`() throws {
        let repository = try CatalogChange()
        try repository.git("rm", "--quiet", "-r", "Catalogs")
        try repository.commit("no catalogs")
        try repository.git("update-ref", "refs/remotes/origin/main", "main")
        let result = try repository.runAction()

        #expect(result.status == 0)
        #expect(result.comment == Self.marker + "### Catalogs\n\nNothing changes for customers.\n")
    }

    @Test func `changes made only on the base branch are not listed in the pull request comment`() throws {
        let repository = try CatalogChange()
        try repository.git("switch", "--quiet", "--create", "work")
        try repository.change("<integer>50</integer>", to: "<integer>40</integer>")
        try repository.git("switch", "--quiet", "main")
        try repository.change("\t\t\t<string>com.example.voyager.vienna</string>\n", to: "")
        try repository.git("update-ref", "refs/remotes/origin/main", "main")
        try repository.git("switch", "--quiet", "work")
        let comment = try #require(try repository.runAction().comment)

        #expect(comment.contains("has productValue 40 instead of 50"))
        #expect(!comment.contains("vienna"))
    }

    @Test func `the GitHub action compares only catalogs at the given paths`() throws {
        let repository = try CatalogChange()
        try repository.folder.write(
            PlistText.document("<array><string>com.example.test</string></array>"), to: "Tests/Other.plist")
        try repository.change("<integer>50</integer>", to: "<integer>40</integer>")
        for paths in ["Catalogs", "./Catalogs/", "Catalogs/Voyager.plist"] {
            let comment = try #require(try repository.runAction(paths: paths).comment)
            #expect(comment.contains("1 change of offers in `Catalogs/Voyager.plist`."), "\(paths)")
        }
        #expect(try repository.runAction().comment?.contains("in 2 catalogs") == true)
    }

    @Test func `the GitHub action handles 1,000 catalogs and symlink loops, and shows only the gravest changes`()
        throws
    {
        let repository = try CatalogChange()
        for number in 0..<1_000 {
            let product = "com.example.\(String(repeating: "long", count: 20)).\(number)"
            try repository.folder.write(
                PlistText.document(
                    "<array><dict><key>productIdentifier</key><string>\(product)</string><key>consumable</key><false/></dict></array>"
                ), to: "Catalogs/\(number).plist")
        }
        try FileManager.default.createSymbolicLink(
            atPath: repository.folder["Catalogs/loop"].path(), withDestinationPath: "..")
        try FileManager.default.createSymbolicLink(
            atPath: repository.folder["Catalogs/loop.plist"].path(), withDestinationPath: "loop.plist")
        try repository.change("\t\t\t<string>com.example.voyager.vienna</string>\n", to: "")
        let result = try repository.runAction()
        let comment = try #require(result.comment)

        #expect(result.status == 0)
        #expect(comment.utf8.count < 65_536)
        #expect(comment.contains("1 change that takes something away from customers, 1000 changes of offers"))
        #expect(comment.contains("no longer contains `com.example.voyager.vienna`, in `Catalogs/Voyager.plist`\n"))
        let rest = try #require(comment.firstMatch(of: /… and (\d+) more, which `vitrine diff` lists\.\n$/))
        // Each new catalog is an item, and so is its product.
        let shown = comment.split(separator: "\n").count { $0.contains(" is new, in ") || $0.hasSuffix(" is added.") }
        #expect(shown + (Int(rest.1) ?? 0) == 2_000)
    }

    @Test func `names in a pull request comment are never interpreted as markup`() throws {
        let repository = try CatalogChange()
        try repository.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>`x` @team &lt;img src=a&gt; #1</string>
                <key>consumable</key><false/></dict></array>
                """), to: "Catalogs/a|b`c.plist")
        try repository.change(
            "<string>coins</string>", to: "<string>x&quot; see https://evil.example @team \\&quot;y</string>")
        let comment = try #require(try repository.runAction().comment)

        #expect(comment.contains("> ``Catalogs/a|b`c.plist`` is added."))
        #expect(comment.contains("- `` `x` @team <img src=a> #1 `` is new"))
        #expect(comment.contains(#"`x\" see https://evil.example @team \\\"y`"#), "\(comment)")
        // Nothing of it is left outside of code.
        let outside = comment.replacing(/(`+)[^`].*?\1/, with: "")
        #expect(!outside.contains("@") && !outside.contains("evil") && !outside.contains("img"), "\(outside)")
    }

    @Test(arguments: ["`\u{301} @octocat `\u{301}", "\u{301}@octocat", "\\\"@octocat", "@octocat\\"])
    func `combining marks and backslashes do not end the code span of a name in a pull request comment`(name: String)
        throws
    {
        let repository = try CatalogChange()
        let xml = name.replacing("\"", with: "&quot;")
        try repository.change("<string>coins</string>", to: "<string>\(xml)</string>")
        try repository.folder.write(
            PlistText.document(
                "<array><dict><key>productIdentifier</key><string>\(xml)</string><key>consumable</key><false/></dict></array>"
            ), to: "Catalogs/b.plist")
        try repository.commit("name")
        let comment = try #require(try repository.runAction().comment)

        // A code span ends with as many backticks as it began with; here by bytes, as a renderer reads them.
        var (outside, bytes) = ([UInt8](), Array(comment.utf8)[...])
        while let start = bytes.firstIndex(of: UInt8(ascii: "`")) {
            outside += bytes[..<start]
            let fence = bytes[start...].prefix { $0 == UInt8(ascii: "`") }
            bytes = bytes[fence.endIndex...]
            var run = bytes.startIndex
            while run < bytes.endIndex {
                let ticks = bytes[run...].prefix { $0 == UInt8(ascii: "`") }
                if ticks.count == fence.count { break }
                run = ticks.isEmpty ? run + 1 : ticks.endIndex
            }
            bytes = bytes[min(run + fence.count, bytes.endIndex)...]
        }
        outside += bytes
        #expect(comment.contains("@octocat"))
        #expect(!String(decoding: outside, as: UTF8.self).contains("@"), "\(comment)")
    }
}
