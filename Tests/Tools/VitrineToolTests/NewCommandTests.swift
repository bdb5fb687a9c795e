import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

/// Output of the command `new`. `Scripts/check-new` builds it and runs its test.
@Suite(.blocksThreads, .hangLimit) struct NewCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func products(_ folder: String) throws -> [CatalogProduct] {
        try CatalogFile(url: tool.folder["\(folder)/Sources/\(folder)/Catalog.plist"]).catalog.products
    }

    @Test func `vitrine new asks no questions without a terminal and creates a package with all product kinds`() throws
    {
        let result = try tool.run("new", "Shop")

        #expect(result.status == 0)
        #expect(
            try tool.run("new", "Other", "--json").json["files"] as? [String] == [
                "Package.swift", "Sources/Other/Products.swift", "Sources/Other/Catalog.plist",
                "Tests/OtherTests/OtherTests.swift", "Tests/OtherTests/Products.storekit", ".gitignore",
            ])
        #expect(
            try products("Shop").map(\.identifier) == [
                "com.example.shop.unlock", "com.example.shop.coins50", "com.example.shop.club.monthly",
            ])
        #expect(result.lines.last == "build it and buy everything in it with: swift test --package-path Shop")
    }

    @Test(arguments: [[], ["--products", "coins,unlock"], ["--app", "org.example.a-b", "--products", "subscription"]])
    func `a package made by vitrine new passes lint --strict against its StoreKit configuration`(options: [String])
        throws
    {
        try tool.run(["new", "Shop"] + options)
        let result = try tool.run(
            "lint", "--strict", "--storekit", "Shop/Tests/ShopTests/Products.storekit",
            "Shop/Sources/Shop/Catalog.plist")

        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.isEmpty)
    }

    @Test func `vitrine new --from copies a StoreKit configuration and reports guessed values`() throws {
        let configuration = Repository.sample("Voyager.storekit")
        let result = try tool.run("new", "Shop", "--from", configuration.path(), "--vitrine", "none")

        #expect(result.status == 0)
        #expect(
            result.errors.contains(
                #"vitrine: note: check storageKey "coins" and productValue 50 of "com.example.voyager.coins50""#))
        #expect(result.errors.contains("vitrine: note: clone Vitrine's package to none, as seen from the new one"))
        #expect(
            try Data(contentsOf: tool.folder["Shop/Tests/ShopTests/Products.storekit"])
                == Data(contentsOf: configuration))
        let made = try products("Shop")
        #expect(made.count > 5)
        #expect(try tool.run("lint", "--storekit", configuration.path(), "Shop").status == 0)
    }

    @Test(arguments: ["Club.plist", "Club.json", "Club.bplist"])
    func `vitrine new --from a catalog copies it, and makes a StoreKit configuration that sells its products`(
        name: String
    ) throws {
        let sample = Repository.sample("Club.plist")
        let format = ["plist": "xml", "json": "json", "bplist": "binary"][URL(filePath: name).pathExtension] ?? ""
        try tool.run("convert", sample.path(), "--to", format, "-o", name)
        let result = try tool.run("new", "Shop", "--from", name)
        let copy = try Data(contentsOf: tool.folder["Shop/Sources/Shop/Catalog.plist"])
        let store = try StoreConfiguration(
            data: Data(contentsOf: tool.folder["Shop/Tests/ShopTests/Products.storekit"]))

        #expect(result.status == 0)
        #expect(result.errors.contains("vitrine: note: the prices of 3 products are placeholders, 0.99"))
        #expect(try products("Shop").map(\.identifier) == ["club.gold", "club.silver", "map"])
        #expect(try name != "Club.plist" || copy == Data(contentsOf: tool.folder[name]))
        #expect(store.items.map(\.identifier) == ["map"])
        #expect(store.subscriptions.map(\.item.identifier) == ["club.gold", "club.silver"])
        #expect(
            try tool.run("lint", "--storekit", "Shop/Tests/ShopTests/Products.storekit", "Shop/Sources").status == 0)
    }

    @Test func `vitrine new --from a file of another kind names the kinds that it takes`() throws {
        try tool.folder.write("just text", to: "a.txt")
        let result = try tool.run("new", "Shop", "--from", "a.txt")

        #expect(result.status == 65)
        #expect(result.errors.hasSuffix("; --from takes a property list, JSON, or a .storekit file\n"))
        #expect(!tool.folder.has("Shop"))
    }

    @Test func `vitrine new on a terminal asks for values, and asks again after invalid input`() throws {
        let terminal = try PseudoTerminal()
        let process = try tool.startAnswering(["new", "Shop"], on: terminal)
        try terminal.wait(for: "The app's bundle identifier? [com.example.shop] ")
        try terminal.type("shop\n")
        try terminal.wait(for: "shop is not a bundle identifier such as com.example.shop.")
        try terminal.type("org.example.shop\n")
        try terminal.wait(for: "What does it sell (unlock,coins,subscription)?")
        try terminal.type("coins\n")
        _ = terminal.readToEnd()
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(try products("Shop").map(\.identifier) == ["org.example.shop.coins50"])
    }

    @Test func `vitrine new does not overwrite a folder and refuses invalid names and options`() throws {
        try tool.folder.write("mine", to: "Shop/Package.swift")
        let result = try tool.run("new", "Shop")
        #expect(result.status == 1)
        #expect(result.errors == "vitrine: error: Shop exists and is not empty\n")
        #expect(try String(contentsOf: tool.folder["Shop/Package.swift"], encoding: .utf8) == "mine")

        for arguments in [
            ["new", "my shop"], ["new", "1st"], ["new", "Läden"], ["new", "Vitrine"],
            ["new", "receipts"], ["new", "Class"], ["new", "A", "--app", "noperiod"],
            ["new", "A", "--products", "cars"], ["new", "A", "--products", ","],
            ["new", "A", "--products", "coins", "--from", "x.storekit"],
        ] {
            #expect(try tool.run(arguments).status == 64, "\(arguments)")
        }
        #expect(try tool.run("new", "A", "--from", "missing.storekit").status == 66)
        try tool.folder.write("no JSON", to: "bad.storekit")
        #expect(try tool.run("new", "A", "--from", "bad.storekit").status == 65)
        #expect(!tool.folder.has("A"))
    }

    /// A limit on the size of files has the effect of a full disk: some of the files are written, and others are not.
    @Test(arguments: [false, true])
    func `a package that cannot be written completely is removed, and can be made again`(exists: Bool) throws {
        let tool = try Tool()
        let shop = tool.folder["Shop"]
        if exists { try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: false) }
        var shell = tool
        shell.executable = URL(filePath: "/bin/sh")
        let result = try shell.run("-c", "trap '' XFSZ; ulimit -f 3; exec \"$0\" new Shop", Tool.path)

        #expect(result.status == 74)
        #expect(result.errors.contains("cannot be written: the file would be larger than is allowed"))
        let rest = try? FileManager.default.contentsOfDirectory(atPath: shop.path(percentEncoded: false))
        #expect(rest == (exists ? [] : nil))
        #expect(try tool.run("new", "Shop").status == 0)
    }
}
