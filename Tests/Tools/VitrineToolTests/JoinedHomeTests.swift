import Foundation
import Testing
import VitrineTestSupport

/// Several homes with one store: devices of a customer, and customers of their own.
@Suite(.blocksThreads, .hangLimit) struct JoinedHomeTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    @discardableResult
    private func join(_ home: String, as customer: String, on device: String) throws -> Tool.Result {
        try tool.succeed(
            "init", "--home", home, "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer", customer,
            "--device", device)
    }

    private func owns(_ product: String, _ home: String) throws -> Bool {
        try tool.run("owned", product, "--home", home).status == 0
    }

    @Test func `a purchase on one device is owned on the customer's other device, except consumables`() throws {
        let joined = try join("tablet", as: "default", on: "tablet")
        #expect(
            joined.output.hasPrefix(
                "tablet: 8 products in Club.plist, device tablet of the customer default in the store /"))
        try tool.succeed("buy", "club.silver", "--home", "tablet")
        try tool.succeed("buy", "coins", "--home", "tablet")

        #expect(try owns("club.silver", ".vitrine"))
        #expect(try tool.succeed("wallet", "coins", "--home", "tablet").lines.last == "coins   1")
        #expect(try tool.succeed("wallet", "coins").lines.last == "coins   0")
        #expect(try tool.succeed("store", "transactions", "--home", "tablet").lines.count == 3)
        for home in ["tablet", ".vitrine"] { #expect(try tool.run("check", "--home", home).status == 0) }
    }

    @Test func `a new device owns what the customer has bought, without a restore, and offers none of it`() throws {
        for product in ["map", "club.silver", "coins"] { try tool.succeed("buy", product) }
        try join("tablet", as: "default", on: "tablet")
        #expect(
            try tool.succeed("load", "--home", "tablet").lines == [
                "0 products loading", "1 list loaded: 8 products", "  map was bought before and is owned",
                "  club.silver was bought before and is owned", "2 products loaded: 6 offered",
            ])
        for product in ["map", "club.silver"] { #expect(try owns(product, "tablet")) }
        let listing = try tool.succeed("listing", "--home", "tablet").lines
        #expect(listing.filter { $0 == "  not offered: the product is owned already" }.count == 2)
        #expect(try tool.succeed("wallet", "coins", "--home", "tablet").lines.last == "coins   0")
        #expect(try tool.succeed("load", "--home", "tablet").lines.count == 3)
        #expect(try tool.succeed("restore", "--home", "tablet").lines.allSatisfy { $0.hasPrefix("already owned: ") })
    }

    @Test func `two customers share a family-shareable subscription only while they are in the same family`() throws {
        try join("anna", as: "anna", on: "phone")
        try tool.succeed("buy", "club.silver")
        #expect(try owns("club.silver", "anna") == false)
        #expect(
            try tool.succeed("store", "family", "join", "Miller").output
                == "the customer default is in the family Miller\n")
        try tool.succeed("store", "family", "join", "Miller", "--home", "anna")
        #expect(try owns("club.silver", "anna"))
        #expect(
            try tool.succeed("store", "transactions", "--home", "anna").lines[1].contains("  anna      club.silver"))

        #expect(
            try tool.succeed("store", "family", "leave", "--home", "anna").output
                == "the customer anna has left the family Miller\n")
        #expect(try owns("club.silver", "anna") == false)
        #expect(try owns("club.silver", ".vitrine"))
    }

    @Test func `all storage directories that share a store follow the store's clock`() throws {
        try join("anna", as: "anna", on: "phone")
        try tool.succeed("buy", "club.silver", "--home", "anna")
        try tool.succeed("store", "set", "renewal", "off", "club.silver", "--home", "anna")
        try tool.succeed("store", "advance", "P1M")

        #expect(try owns("club.silver", "anna") == false)
        #expect(
            try tool.run("store", "clock", "--home", "anna", "--json").json["date"] as? String == "2040-02-15T00:00:00Z"
        )
    }

    @Test func `vitrine store customers lists the customers of the store with their devices`() throws {
        let json = try tool.succeed(
            "init", "--home", "anna", "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer", "anna",
            "--device", "phone", "--original-build", "3", "--json"
        ).json
        #expect((json["joined"] as? String)?.hasSuffix("/.vitrine/Store/") == true)
        #expect((json["customer"] as? String, json["device"] as? String) == ("anna", "phone"))

        let lines = try tool.succeed("store", "customers", "--home", "anna").lines
        #expect(
            lines == [
                "CUSTOMER  FAMILY  DEVICES", "default   -       default", "anna      -       phone",
                "this home is the device phone of the customer anna",
            ])
        let customers = try tool.run("store", "customers", "--json").json
        #expect((customers["customers"] as? [[String: Any]])?.map { $0["name"] as? String } == ["default", "anna"])
        #expect(customers["customer"] as? String == "default")
    }

    @Test func `a storage directory can join the same store again and remains the same customer`() throws {
        try join("anna", as: "anna", on: "phone")
        try join("anna", as: "anna", on: "phone")
        try tool.succeed("init", "--home", "anna", "--cache-days", "2", "--remote", "https://example.com/a.plist")

        #expect(try tool.succeed("store", "customers", "--home", "anna").lines.last?.hasSuffix("customer anna") == true)
    }

    @Test(arguments: [
        (
            ["--join", "none", "--customer", "anna", "--device", "phone"], "new", 66,
            "there is no simulated store in none"
        ),
        (
            ["--join", ".vitrine", "--customer", "anna", "--device", "phone"], "new", 66,
            "no simulated store in .vitrine"
        ),
        (["--join", ".vitrine/Store", "--customer", "anna"], "new", 64, "have to be given together"),
        (["--join", ".vitrine/Store", "--customer", "", "--device", "phone"], "new", 64, "must not be empty"),
        (["--customer", "anna"], "new", 64, "have to be given together"),
        (
            ["--join", ".vitrine/Store", "--customer", "anna", "--device", "phone", "--seed", "1"], "new", 64,
            "cannot be combined with --store, --bundle or --seed"
        ),
        (
            ["--join", ".vitrine/Store", "--customer", "anna", "--device", "phone"], ".vitrine", 64,
            "has a store of its own, and cannot join another"
        ),
        (
            ["--join", ".vitrine/Store", "--customer", "ben", "--device", "phone"], "joined", 64,
            "--customer and --device cannot be changed"
        ),
        (["--store", "Club.storekit"], "joined", 64, "--store cannot replace it"),
    ])
    func `an invalid request to join a store is refused and changes nothing`(
        arguments: [String], home: String, status: Int32, reason: String
    ) throws {
        try join("joined", as: "anna", on: "tablet")
        try FileManager.default.copyItem(
            at: Repository.file("Catalogs/Club.storekit"), to: tool.folder["Club.storekit"])
        let before = try (tool.files(), tool.run("store", "customers").output)
        let result = try tool.run(["init", "--home", home, "--catalog", "Club.plist"] + arguments)

        #expect(result.status == status)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try tool.files() == before.0)
        #expect(try tool.run("store", "customers").output == before.1)
    }

    @Test func `damaged settings of a joined storage directory are rewritten only if its store is named again`() throws
    {
        try join("anna", as: "anna", on: "phone")
        try tool.folder.write("{", to: "anna/vitrine.json")
        #expect(try tool.run("store", "clock", "--home", "anna").status == 65)
        let incomplete = try tool.run("init", "--home", "anna", "--catalog", "Club.plist")
        #expect(incomplete.status == 64)
        #expect(incomplete.errors.contains("--store or --join unless its store is made"))

        try join("anna", as: "anna", on: "phone")
        try tool.succeed("store", "clock", "--home", "anna")
    }

    @Test func `the error about a missing joined store names the store's path`() throws {
        try join("anna", as: "anna", on: "phone")
        try FileManager.default.moveItem(at: tool.home, to: tool.folder["moved"])
        let result = try tool.run("store", "clock", "--home", "anna")
        #expect(result.status == 66)
        #expect(result.errors.contains("/.vitrine/Store"))

        try tool.succeed(
            "init", "--home", "anna", "--join", "moved/Store", "--customer", "anna", "--device", "phone")
        try tool.succeed("store", "clock", "--home", "anna")
    }
}
