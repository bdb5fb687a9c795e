import Foundation
import TestSupport
import Testing

/// The script of the action for pull requests, in repositories that are made for it.
@Suite(.enabled(if: PeerTool.git.isInstalled, "git is not installed"), .timeLimit(.minutes(45))) struct ActionTests {
    private static let marker = "<!-- vitrine: changes of catalogs -->\n"

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

                1 change of offers.

                #### `Catalogs/Voyager.plist`

                **Changes what customers can buy**

                - `com.example.voyager.coins50` has productValue 40 instead of 50

                """),
        Case(
            testDescription: "a child less", from: "\t\t\t<string>com.example.voyager.vienna</string>\n",
            comment: """
                ### Catalogs

                1 change that takes something away from customers.

                #### `Catalogs/Voyager.plist`

                **Takes something away from customers**

                - `com.example.voyager.everything` no longer contains `com.example.voyager.vienna`

                """),
        Case(
            testDescription: "a new product", from: "<array>\n\t<dict>",
            to: "<array>\n\t<dict><key>productIdentifier</key><string>com.example.voyager.oslo</string>"
                + "<key>consumable</key><false/></dict>\n\t<dict>",
            comment: """
                ### Catalogs

                1 change of offers.

                #### `Catalogs/Voyager.plist`

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
    func `the comment says what changes for customers`(_ test: Case) throws {
        let repository = try CatalogChange()
        try repository.change(test.from, to: test.to)
        let result = try repository.runAction()

        #expect(result.comment == Self.marker + test.comment)
        #expect(result.status == 0)
    }

    @Test func `new and removed catalogs are named, and what is unchanged or no catalog is not`() throws {
        let repository = try CatalogChange()
        try repository.git("mv", "Catalogs/Voyager.plist", "Catalogs/Reisen & Führer 旅.plist")
        try repository.folder.write(
            PlistText.document("<dict><key>CFBundleName</key><string>Traveler</string></dict>"), to: "App/Info.plist")
        try repository.commit("move")
        let comment = try #require(try repository.runAction().comment)

        #expect(comment.contains("#### `Catalogs/Reisen & Führer 旅.plist` (new)"))
        #expect(comment.contains("#### `Catalogs/Voyager.plist` (removed)"))
        #expect(!comment.contains("Info.plist"))
    }

    @Test func `findings are annotations, and the status is that of lint`() throws {
        let repository = try CatalogChange()
        try repository.change("<key>storageKey</key>", to: "<key>storageKy</key>")
        let result = try repository.runAction()

        #expect(result.status == 1)
        #expect(result.output.contains("::error file=./Catalogs/Voyager.plist,line="))
        #expect(result.comment?.contains("has products with errors") == true)
    }

    @Test func `a base branch that is not there is said, and nothing is compared`() throws {
        let repository = try CatalogChange()
        let result = try repository.runAction(base: "release/1.0")

        #expect(result.status == 66)
        #expect(result.output.contains("::error::the base branch release/1.0 is not there: nothing was compared"))
        #expect(result.comment == nil)
        #expect(try repository.runAction(base: "").status == 0)
    }

    @Test func `a path that is not there is said`() throws {
        let result = try CatalogChange().runAction(paths: "Catalogs\nShop Catalogs\n")

        #expect(result.status == 66)
        #expect(result.output.contains("Shop Catalogs"))
    }

    @Test func `a repository without catalogs passes`() throws {
        let repository = try CatalogChange()
        try repository.git("rm", "--quiet", "-r", "Catalogs")
        try repository.commit("no catalogs")
        try repository.git("update-ref", "refs/remotes/origin/main", "main")
        let result = try repository.runAction()

        #expect(result.status == 0)
        #expect(result.comment == Self.marker + "### Catalogs\n\nNothing changes for customers.\n")
    }

    @Test func `a thousand catalogs and links that loop are looked at, and a long comment is cut after a change`()
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
        try repository.commit("many")
        let result = try repository.runAction()
        let comment = try #require(result.comment)

        #expect(result.status == 0)
        #expect(comment.utf8.count < 65_536)
        #expect(comment.contains("1000 changes of offers"))
        let rest = try #require(comment.firstMatch(of: /… and (\d+) more, which `vitrine diff` lists\.\n$/))
        #expect(comment.split(separator: "\n").count { $0.hasSuffix("is new") } + (Int(rest.1) ?? 0) == 1_000)
    }

    @Test func `a name in a comment is never markup`() throws {
        let repository = try CatalogChange()
        try repository.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>`x` @team &lt;img src=a&gt; #1</string>
                <key>consumable</key><false/></dict></array>
                """), to: "Catalogs/a|b`c.plist")
        try repository.commit("names")
        let comment = try #require(try repository.runAction().comment)

        #expect(comment.contains("#### ``Catalogs/a|b`c.plist`` (new)"))
        #expect(comment.contains("- `` `x` @team <img src=a> #1 `` is new"))
    }
}
