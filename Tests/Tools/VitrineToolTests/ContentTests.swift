import Foundation
import Testing
import VitrineTestSupport

/// Hosted content, refunds and grandfathering, as a user of the tool sees them.
@Suite(.blocksThreads, .hangLimit) struct ContentTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    @Test func `buying a product with hosted content installs the content, and its version and path are listed`() throws
    {
        #expect(
            try tool.run("content").lines == [
                "PRODUCT                     VERSION  SIZE  PATH                         STATE",
                "com.example.voyager.rome    -        -     HostedContent/guides/rome    not owned",
                "com.example.voyager.athens  -        -     HostedContent/guides/athens  not owned",
            ])
        #expect(try tool.run("buy", .voyager("rome")).output == "bought com.example.voyager.rome (transaction 1)\n")

        let rome = try tool.run("content").lines[1].split(separator: " ", omittingEmptySubsequences: true)
        #expect(rome.last == "installed")
        #expect(rome[1] == "1.0")
        let path = try tool.run("content", "path", .voyager("rome")).lines[0]
        #expect(path.hasSuffix("/.vitrine/HostedContent/guides/rome"))
        #expect(try String(contentsOfFile: path + "/guide.md", encoding: .utf8).hasPrefix("# Rome\n"))
    }

    @Test func `downloading content of a product that is not owned or has no content is refused with the reason`()
        throws
    {
        #expect(try tool.run("content", "path", .voyager("rome")).status == 1)
        #expect(try tool.run("content", "path", .voyager("lisbon")).status == 1)
        #expect(try tool.run("content", "path", "no.such.product").status == 1)
        let download = try tool.run("content", "download", .voyager("rome"), .voyager("lisbon"))

        #expect(download.status == 1)
        #expect(
            download.lines == [
                "com.example.voyager.rome: not installed: com.example.voyager.rome is not owned",
                "com.example.voyager.lisbon: not installed: com.example.voyager.lisbon has no hosted content",
            ])
        #expect(try !tool.files().keys.contains { $0.contains("HostedContent") })
    }

    @Test func `deleted content is installed again by vitrine content download`() throws {
        try tool.run("buy", .voyager("rome"))
        try FileManager.default.removeItem(at: tool.home.appending(path: "HostedContent"))
        #expect(try tool.run("content").lines[1].hasSuffix("not installed"))

        #expect(try tool.run("content", "download", .voyager("rome")).status == 0)
        #expect(try tool.run("content").lines[1].hasSuffix("  installed"))
    }

    @Test func `refunding a bundle ends only the ownership of products that no other purchase unlocks`() throws {
        try tool.run("buy", .voyager("rome"))
        try tool.run("buy", .voyager("everything"))
        #expect(
            try tool.run("store", "refund", "2").output == "refunded com.example.voyager.everything (transaction 2)\n")

        #expect(try tool.run("owned").lines.count == 3)
        #expect(try tool.run("owned", .voyager("rome")).status == 0)
        #expect(try tool.run("content", "path", .voyager("rome")).status == 0)
        #expect(try tool.run("content", "path", .voyager("athens")).status == 1)
        #expect(try tool.run("content").lines[2].hasSuffix("no longer owned: withheld"))
        let rome = try tool.run("why", .voyager("rome"))
        #expect(rome.lines[1].hasPrefix("  bought on 20"))
        #expect(
            rome.lines[2].hasPrefix(
                "  no longer valid: transaction 2 of com.example.voyager.everything, revoked on 20"))
        let madrid = try tool.run("why", .voyager("madrid"))
        #expect(madrid.status == 1)
        #expect(
            madrid.lines.last?.hasPrefix(
                "  no longer valid: transaction 2 of com.example.voyager.everything, revoked on 20") == true)
        #expect(try tool.run("store", "transactions").lines[2].contains("refunded on 20"))
    }

    @Test func `refunding a bundle does not end the ownership of products in a larger owned bundle`() throws {
        try tool.run("buy", .voyager("iberia"))
        try tool.run("buy", .voyager("everything"))
        let before = try tool.run("owned").lines.count
        #expect(try tool.run("store", "refund", "1").status == 0)

        #expect(try tool.run("owned").lines.count == before)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `repeating vitrine store refund for the same transaction has no effect`() throws {
        try tool.run("buy", .voyager("coins50"))
        try tool.run("buy", .voyager("coins500"))
        for round in 0..<3 {
            let refund = try tool.run("store", "refund", "1")
            #expect(refund.output.contains("already refunded") == (round > 0))
            #expect(try tool.run("wallet", "coins").lines.last == "coins   500")
        }
        #expect(try tool.run("store", "transactions").lines.filter { $0.hasSuffix(" finished") }.count == 2)
    }

    @Test(arguments: ["9", "text", ""])
    func `vitrine store refund of an unknown transaction fails`(transaction: String) throws {
        try tool.run("buy", .voyager("coins50"))

        #expect(try tool.run("store", "refund", transaction).status == 1)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
    }

    @Test(
        arguments: [
            (
                "150", 0, "granted on",
                "the app was first installed as build 150 on 2019-05-01, "
                    + "and the grandfathering rule requires a build before 200"
            ),
            (
                "500", 1, "is not owned",
                "  app first installed as build 500 on 2019-05-01, and the rule requires a build before 200"
            ),
        ]
    )
    func `a grandfathered product is owned by early customers only, and vitrine why prints the rule and the builds`(
        build: String, status: Int32, answer: String, reason: String
    ) throws {
        #expect(try tool.run("init", "--original-build", build, "--original-date", "2019-05-01").status == 0)
        let why = try tool.run("why", .voyager("premium"))

        #expect(why.status == status)
        #expect(why.output.contains(answer))
        #expect(why.output.contains(reason))
        #expect(try tool.run("owned", .voyager("premium")).status == status)
    }

    @Test func `the ownership of a grandfathered product is unknown without an app transaction`() throws {
        let why = try tool.run("why", .voyager("premium"))

        #expect(why.status == 2)
        #expect(
            why.lines.last
                == "  the first installation of the app is unknown, and the rule requires a build before 200")
        #expect(try tool.run("owned", .voyager("premium")).status == 2)
        #expect(try tool.run("buy", .voyager("premium")).status == 1)
        #expect(try tool.run("owned", "--json").json["isComplete"] as? Bool == false)
    }

    @Test func `vitrine why names the grandfathering rule of the bundle when it explains a child product`() throws {
        let catalog = try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8).replacing(
                "<key>grandfathered</key>",
                with: "<key>childProducts</key><array><string>com.example.voyager.vienna</string></array>"
                    + "<key>grandfathered</key>"), to: "catalog.plist")
        #expect(try tool.run("init", "--catalog", catalog.path(), "--original-build", "500").status == 0)

        #expect(
            try tool.run("why", .voyager("vienna")).lines.last?
                .hasSuffix("and the rule of com.example.voyager.premium requires a build before 200") == true)
    }

    @Test func `a grandfathered product remains owned after the rule is removed from the catalog`() throws {
        #expect(try tool.run("init", "--original-build", "150").status == 0)
        #expect(try tool.run("load").status == 0)
        let catalog = try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
                .replacing("<key>grandfathered</key>", with: "<key>userInfo</key>"), to: "catalog.plist")
        #expect(try tool.run("init", "--catalog", catalog.path(), "--original-build", "500").status == 0)

        #expect(try tool.run("owned", .voyager("premium")).status == 0)
    }

    @Test(
        arguments: [
            ["--original-build", "x"], ["--original-build", "1", "--original-version", "1"],
            ["--original-date", "2019-05-01"], ["--original-build", "1", "--original-date", "yesterday"],
            ["--original-build", "1", "--original-date", "2019-02-31"],
            ["--original-build", "1", "--original-date", "2019-05-01x"],
            ["--original-build", "1", "--original-date", "1950-01-01"], ["--original-build", ""],
        ]
    )
    func `vitrine init refuses an incomplete or invalid original build, version or date`(arguments: [String]) throws {
        #expect(try tool.run(["init"] + arguments).status == 64)
        #expect(try tool.run("owned", .voyager("premium")).status == 2)
    }

    @Test func `vitrine init refuses invalid or missing content packages before it changes any file`() throws {
        let before = try tool.files()
        let packages = tool.folder["packages"]
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages)
        let link = packages.appending(path: "Rome/Contents/maps/passwd")
        try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "/etc/passwd")
        let result = try tool.run(
            "init", "--content", "packages", "--store", Repository.sample("Voyager.storekit").path())

        #expect(result.status == 65)
        #expect(result.errors.contains("packages/Rome/Contents/maps/passwd is a symbolic link"))
        #expect(try tool.run("init", "--content", "nowhere").status == 66)
        try FileManager.default.removeItem(at: packages)
        #expect(try tool.files() == before)
    }

    @Test func `a product whose content package contains a symbolic link is not sold, and the link's path is reported`()
        throws
    {
        let packages = tool.folder["packages"]
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages)
        #expect(try tool.run("init", "--content", "packages").status == 0)
        let link = packages.appending(path: "Rome/Contents/passwd")
        try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "/etc/passwd")

        let bought = try tool.run("buy", .voyager("rome"))
        #expect(bought.status == 1)
        #expect(
            bought.output.hasPrefix("not bought: com.example.voyager.rome is not offered: its content cannot be used: ")
        )
        #expect(bought.output.contains("Rome/Contents/passwd is a symbolic link"))
        #expect(try tool.run("owned", .voyager("rome")).status == 1)
        #expect(try !tool.files().keys.contains { $0.hasPrefix(".vitrine/HostedContent/guides") })

        try FileManager.default.removeItem(at: link)
        #expect(try tool.run("buy", .voyager("rome")).status == 0)
        #expect(try tool.run("content", "path", .voyager("rome")).status == 0)
    }

    @Test(
        arguments: [
            ("../../etc", #"localContentPath "../../etc" leaves its folder"#),
            ("/etc", #"localContentPath "/etc" is absolute"#),
            ("../\u{338}evil", "leaves its folder"),
        ]
    )
    func `lint reports a localContentPath that leaves its folder, and the product is not sold`(
        path: String, message: String
    ) throws {
        try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
                .replacing("guides/rome", with: path), to: "catalog.plist")
        let lint = try tool.run("lint", "catalog.plist")
        #expect(lint.status == 1)
        #expect(lint.lines.contains { $0.hasPrefix("catalog.plist:101:3: error: ") && $0.contains(message) })

        #expect(try tool.run("init", "--catalog", "catalog.plist").status == 0)
        let before = try tool.files().keys.sorted()
        #expect(try tool.run("buy", .voyager("rome")).status == 1)
        // The first load marks the installation.
        let after = try tool.files().keys.filter { !$0.hasPrefix(".vitrine/Installation") }.sorted()
        #expect(after == before)
    }

    @Test func `a missing folder of content packages is reported, and installed content remains available`() throws {
        let packages = tool.folder["packages"]
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages)
        #expect(try tool.run("init", "--content", "packages").status == 0)
        try tool.run("buy", .voyager("rome"))
        try FileManager.default.removeItem(at: packages)

        let owned = try tool.run("owned", .voyager("rome"))
        #expect(owned.status == 0)
        #expect(owned.errors.contains("warning: hosted content not usable: "))
        #expect(owned.errors.contains("packages: there is no such folder"))
        #expect(try tool.run("content", "path", .voyager("rome")).status == 0)
        #expect(
            try tool.run("buy", .voyager("athens")).output.contains(
                "the content of com.example.voyager.athens is not available"))
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
    }

    @Test func `without a usable catalog, the content of a product is reported as unknown, not as missing`() throws {
        try tool.run("buy", .voyager("rome"))
        let catalog = try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        #expect(try tool.run("init", "--catalog", catalog.path()).status == 0)
        try tool.folder.write(
            String(contentsOf: catalog, encoding: .utf8).replacing(
                "<string>guides/rome</string>", with: "<string>.</string>"),
            to: "catalog.plist")
        #expect(try tool.run("content").errors.contains("products with errors in the catalog are left out"))
        #expect(try tool.run("content", "path", .voyager("rome")).status == 2)

        try FileManager.default.removeItem(at: catalog)
        #expect(try tool.run("content").status == 2)
        #expect(try tool.run("content", "path", .voyager("rome")).status == 2)
    }

    @Test func `vitrine load lists products that are not offered because content is missing`() throws {
        let packages = tool.folder["packages"]
        try FileManager.default.copyItem(at: Repository.samplePackages, to: packages)
        #expect(try tool.run("init", "--content", "packages").status == 0)
        try FileManager.default.removeItem(at: packages.appending(path: "Athens"))

        let lines = try tool.run("load").lines
        #expect(
            lines.contains(
                "  com.example.voyager.everything is not offered: "
                    + "the catalog has no contentURL for the hosted content of com.example.voyager.athens, and StoreKit 2 "
                    + "downloads none"
            ))
        #expect(lines.last == "2 products loaded: 8 offered")
    }

    @Test func `ten concurrent processes that buy the same product install its content completely`() throws {
        let running = try (0..<10).map { _ in try tool.start(["buy", .voyager("rome")]).process }
        for process in running {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let audit = try HomeAudit(tool.home)
        #expect(try audit.installedGuides() == ["rome"])
        let leftovers = try audit.leftovers()
        #expect(leftovers == [])
    }

    @Test func `the commands content list, store refund and why print JSON with --json`() throws {
        try tool.run("buy", .voyager("rome"))
        let content = try #require(try tool.run("content", "list", "--json").json["content"] as? [[String: Any]])
        #expect(content[0]["state"] as? String == "installed")
        #expect(content[0]["version"] as? String == "1.0")
        #expect(content[0]["path"] as? String == "HostedContent/guides/rome")
        #expect(content[1]["state"] as? String == "notOwned")
        let refund = try tool.run("store", "refund", "1", "--json").json
        #expect(refund["product"] as? String == .voyager("rome"))
        #expect(refund["date"] is String)
        let why = try tool.run("why", .voyager("rome"), "--json").json
        #expect((why["takenBack"] as? [[String: Any]])?.first?["transaction"] as? String == "1")
        #expect(try tool.run("why", .voyager("premium"), "--json").json["rules"] as? [String] == ["a build before 200"])
    }
}
