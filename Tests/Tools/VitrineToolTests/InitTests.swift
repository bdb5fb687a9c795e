import Foundation
import GRDB
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct InitTests {
    private let tool: Tool
    private let catalog = Repository.sample("Voyager.plist").path()
    private let store = Repository.sample("Voyager.storekit").path()

    init() throws { tool = try Tool() }

    @Test func `the storage directory is chosen by --home, else by VITRINE_HOME, else in the current folder`() throws {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store, "--home", "one").status == 0)
        #expect(
            try tool.run("init", "--catalog", catalog, "--store", store, environment: ["VITRINE_HOME": "two"]).status
                == 0)
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)

        let homes = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path()).sorted()
        #expect(homes == [".vitrine", "one", "two"])
        #expect(try tool.run("load", "--home", "one", environment: ["VITRINE_HOME": "none"]).status == 0)
    }

    @Test func `vitrine init of a new storage directory requires a catalog, and a store file for a remote catalog`()
        throws
    {
        #expect(try tool.run("init").status == 64)
        #expect(try tool.run("init", "--store", store).status == 64)
        let remote = try tool.run("init", "--remote", "https://example.com/Shop.plist")
        #expect(remote.status == 64)
        #expect(remote.errors.contains("--store or --join unless its store is made of --catalog"))
        #expect(try tool.files().isEmpty)
    }

    @Test(arguments: ["", "voyager", "a b/é", "com..voyager"])
    func `vitrine init refuses a name that is not a bundle identifier`(name: String) throws {
        let result = try tool.run("init", "--catalog", catalog, "--bundle", name)
        #expect(result.status == 64)
        #expect(result.errors.contains("is not a bundle identifier"))
        #expect(try tool.files().isEmpty)
    }

    @Test func `vitrine init without a store file makes a store of the catalog, and names prices as placeholders`()
        throws
    {
        let made = try tool.run("init", "--catalog", catalog, "--bundle", "com.example.voyager", "--seed", "1")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains(" products for sale in a store made of the catalog"), "\(made.output)")
        #expect(
            made.errors.contains("with placeholders such as the price 0.99: 'vitrine convert \(catalog) --to storekit'")
        )
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        #expect(try tool.run("listing").output.contains("(com.example.voyager.lisbon): $0.99"))

        // The store of an existing storage directory is replaced only by a file that the command names.
        #expect(try tool.run("init", "--catalog", catalog).errors.isEmpty)
        #expect(try tool.run("init", "--store", store).status == 0)
        #expect(try tool.run("listing").output.contains("(com.example.voyager.lisbon): $4.99"))
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `vitrine init refuses missing or invalid files and creates no storage directory`() throws {
        try tool.folder.write("text", to: "bad")
        let before = try tool.files()

        #expect(try tool.run("init", "--catalog", "none", "--store", store).status == 66)
        #expect(try tool.run("init", "--catalog", "bad", "--store", store).status == 65)
        #expect(try tool.run("load").status == 66)
        #expect(try tool.run("store", "transactions").status == 66)
        #expect(try tool.files() == before)
        #expect(try tool.run("init", "--catalog", catalog, "--store", "none").status == 66)
        #expect(try tool.run("init", "--catalog", catalog, "--store", "bad").status == 65)
        #expect(try tool.run("load").status == 66)
    }

    @Test func `vitrine init refuses a StoreKit configuration as catalog and a catalog as store, and names the way`()
        throws
    {
        let swapped = try tool.run("init", "--catalog", store)
        #expect(swapped.status == 65)
        #expect(swapped.errors.contains("this is a StoreKit configuration, not a catalog: 'vitrine convert "))
        #expect(swapped.errors.contains("\(store) has no products of which a store can be made: nothing was set up"))
        let same = try tool.run("init", "--catalog", catalog, "--store", catalog)
        #expect(same.status == 65)
        #expect(same.errors.contains("\(catalog) is a catalog, not a StoreKit configuration: 'vitrine convert "))
        #expect(try tool.files().isEmpty)
    }

    @Test func `damaged settings are rewritten by a vitrine init command that names the catalog`() throws {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)
        try tool.run("buy", .voyager("lisbon"))
        try tool.folder.write("{", to: ".vitrine/vitrine.json")
        #expect(try tool.run("owned").status == 65)
        #expect(try tool.run("init", "--content", Repository.samplePackages.path()).status == 65)

        let again = try tool.run("init", "--catalog", catalog)
        #expect(again.status == 0)
        #expect(again.errors.contains("vitrine.json is not a vitrine settings file: the file is replaced"))
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `a product of an unknown type in the StoreKit configuration is left out, and other products are sold`()
        throws
    {
        let configuration = try String(contentsOf: Repository.sample("Voyager.storekit"), encoding: .utf8)
        let changed = try #require(configuration.range(of: "\"NonConsumable\""))
        try tool.folder.write(configuration.replacingCharacters(in: changed, with: "\"Mystery\""), to: "new.storekit")

        let set = try tool.run("init", "--catalog", catalog, "--store", "new.storekit")
        #expect(set.status == 0)
        #expect(set.errors.contains("is left out: its type \"Mystery\" is unknown"))
        #expect(try tool.run("load").lines.last == "2 products loaded: 6 offered")
    }

    @Test func `vitrine load lists the requested identifiers if the store knows none of the products`() throws {
        try tool.folder.write(
            PlistText.document("<array><string>a.b</string><string>c.d</string></array>"), to: "ids.plist")
        #expect(try tool.run("init", "--catalog", "ids.plist", "--store", store).status == 0)

        let load = try tool.run("load")
        #expect(load.status == 1)
        #expect(load.lines.contains("  the store knows none of the 2 requested products: a.b, c.d"))
        #expect(try tool.run("load", "--json").json["invalidIdentifiers"] as? [String] == ["a.b", "c.d"])
        #expect(try tool.run("listing").output.contains("the store has returned none of the requested products"))
    }

    @Test func `vitrine init on an existing storage directory changes only the given settings and retains purchases`()
        throws
    {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)
        try tool.run("buy", .voyager("iberia"))
        try tool.run("buy", .voyager("coins50"))
        let root = try tool.run("store", "root").output

        let identifiers = Repository.sample("ProductIDs.plist").path()
        #expect(try tool.run("init", "--catalog", identifiers).status == 0)
        #expect(try tool.run("load").lines[1] == "1 list loaded: 4 products")
        #expect(try tool.run("owned", .voyager("iberia")).status == 0)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("owned", .voyager("vienna")).status == 1)

        #expect(try tool.run("init", "--store", store, "--catalog", catalog).status == 0)
        #expect(try tool.run("store", "root").output == root)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
    }

    @Test func `vitrine init accepts a catalog with errors and reports them, and load leaves out the invalid products`()
        throws
    {
        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>com.example.voyager.lisbon</string>
                <key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>com.example.voyager.coins50</string>
                <key>consumable</key><true/><key>productValue</key><integer>5</integer></dict></array>
                """), to: "c.plist")
        let result = try tool.run("init", "--catalog", "c.plist", "--store", store)
        #expect(result.status == 0)
        #expect(result.errors.contains("c.plist:6:1: error: the consumable"))

        let load = try tool.run("load")
        #expect(load.status == 1)
        #expect(load.lines == ["0 products loading", "1 list loaded: 1 product", "2 products loaded: 1 offered"])
        #expect(load.errors.contains("c.plist:6:1: error: the consumable"))
        #expect(try tool.run("buy", .voyager("coins50")).status == 1)
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
    }

    @Test func `vitrine init exits with status 1 if errors leave no valid product in the catalog`() throws {
        try tool.folder.write(PlistText.document("<dict/>"), to: "c.plist")
        let result = try tool.run("init", "--catalog", "c.plist", "--store", store)
        #expect(result.status == 1)
        #expect(result.errors.contains("c.plist:4:1: error: a dictionary must contain"))
        #expect(result.output.contains("0 products in c.plist"))

        try tool.folder.write(PlistText.document("<array/>"), to: "c.plist")
        #expect(try tool.run("init", "--catalog", "c.plist").status == 0)
    }

    @Test func `the store file of a storage directory can be changed while its catalog file is missing`() throws {
        try tool.folder.write(String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "c.plist")
        #expect(try tool.run("init", "--catalog", "c.plist", "--store", store).status == 0)
        try FileManager.default.removeItem(at: tool.folder["c.plist"])

        #expect(try tool.run("init", "--store", store).status == 0)
        #expect(try tool.run("init").output == ".vitrine: nothing changed\n")
    }

    @Test func `vitrine init refuses to change the bundle identifier of an existing store`() throws {
        #expect(
            try tool.run("init", "--catalog", catalog, "--store", store, "--bundle", "com.example.one").status == 0)
        #expect(try tool.run("init", "--store", store, "--bundle", "com.example.one").status == 0)
        let other = try tool.run("init", "--store", store, "--bundle", "com.example.two")

        #expect(other.status == 64)
        #expect(other.errors.contains("signs for the app com.example.one"))
        #expect(try tool.run("init", "--bundle", "com.example.one").output == ".vitrine: nothing changed\n")
    }

    @Test func `vitrine init refuses an empty path of the storage directory`() throws {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store, "--home", "").status == 64)
        #expect(try tool.files().isEmpty)
    }

    @Test func `vitrine init lists the subscriptions of a store file as products for sale`() throws {
        try tool.folder.write(
            """
            {"version": {"major": 4, "minor": 0}, "subscriptionGroups": [{"subscriptions": [
              {"productID": "month", "type": "RecurringSubscription", "displayPrice": "0.99",
               "recurringSubscriptionPeriod": "P1M"},
              {"productID": "year", "type": "RecurringSubscription", "displayPrice": "9.99",
               "recurringSubscriptionPeriod": "P1Y"}]}]}
            """, to: "s.storekit")
        let result = try tool.run("init", "--catalog", catalog, "--store", "s.storekit")

        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("2 products for sale in s.storekit"))
    }

    @Test func `a recreated store sells products again, and purchases are recorded in the existing ledger`() throws {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)
        #expect(try tool.run("buy", .voyager("coins50")).status == 0)
        try FileManager.default.removeItem(at: tool.home.appending(path: "Store"))
        #expect(try tool.run("init", "--store", store).status == 0)

        #expect(try tool.run("buy", .voyager("coins50")).output.hasSuffix("; coins: 100\n"))
    }

    @Test func `products of an owned bundle stay owned if a catalog error removes the bundle`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(text, to: "c.plist")
        #expect(try tool.run("init", "--catalog", "c.plist", "--store", store).status == 0)
        try tool.run("buy", .voyager("iberia"))
        try tool.folder.write(
            text.replacing(
                "<string>com.example.voyager.madrid</string>\n\t\t</array>",
                with: "<string>madrid</string>\n\t\t</array>"),
            to: "c.plist")

        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("owned", .voyager("iberia")).status == 0)
        #expect(try tool.run("owned", .voyager("vienna")).status == 2)
        let all = try tool.run("owned")
        #expect(
            all.lines.last
                == "more products may be owned: the catalog has errors and does not contain "
                + "com.example.voyager.iberia, which is owned")
        #expect(try tool.run("owned", "--json").json["isComplete"] as? Bool == false)
    }

    @Test func `owned products stay owned if the catalog becomes invalid`() throws {
        try tool.folder.write(String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "c.plist")
        #expect(try tool.run("init", "--catalog", "c.plist", "--store", store).status == 0)
        try tool.run("buy", .voyager("lisbon"))
        try tool.folder.write("<html></html>", to: "c.plist")

        let load = try tool.run("load")
        #expect(load.status == 1)
        #expect(load.lines.first == "0 products loading")
        #expect(load.lines.last == "-1 list load failed")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("owned", .voyager("porto")).status == 2)
    }

    @Test func `an unreadable ledger is set aside and replaced by a new one built from the store's transactions`()
        throws
    {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)
        for product in ["iberia", "coins50"] { #expect(try tool.run("buy", .voyager(product)).status == 0) }
        #expect(try tool.run("unlock", .voyager("vienna")).status == 0)
        let garbage = String(repeating: "garbage\n", count: 1_000)
        for file in try FileManager.default.contentsOfDirectory(atPath: tool.home.path())
        where file.hasPrefix("ledger.sqlite-") {
            try FileManager.default.removeItem(at: tool.home.appending(path: file))
        }
        try tool.folder.write(garbage, to: ".vitrine/ledger.sqlite")

        let owned = try tool.run("owned", .voyager("lisbon"))
        #expect(owned.status == 0)
        #expect(owned.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is damaged: "))
        let stored = try FileManager.default.contentsOfDirectory(atPath: tool.home.path()).filter {
            $0.hasPrefix("ledger.damaged-") && $0.hasSuffix(".sqlite")
        }
        #expect(stored.count == 1)
        #expect(try String(contentsOf: tool.home.appending(path: stored[0]), encoding: .utf8) == garbage)
        #expect(owned.errors.contains(stored[0]))

        #expect(try tool.run("owned", .voyager("vienna")).status == 1)
        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.status == 2)
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("buy", .voyager("coins50")).status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   unknown, at least 50")
        #expect(try tool.run("spend", "coins", "10", "--token", "map").status == 2)
        #expect(try tool.run("check").status == 1)
        #expect(try tool.run("settle", "--by", "support").status == 0)
        #expect(try tool.run("check").status == 0)
        #expect(try tool.run("settle").status == 1)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
    }

    @Test func `vitrine refuses a ledger of a later version and leaves it unchanged`() throws {
        #expect(try tool.run("init", "--catalog", catalog, "--store", store).status == 0)
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        let raw = try DatabaseQueue(path: tool.home.appending(path: "ledger.sqlite").path())
        try raw.write { try $0.execute(sql: "PRAGMA user_version = 99") }

        let result = try tool.run("owned")
        #expect(result.status == 65)
        #expect(result.errors.contains("later version"))
        #expect(try raw.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM entry") } == 1)
    }
}
