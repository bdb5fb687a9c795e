import Foundation
import Testing
import VitrineTestSupport

/// Subscriptions that a member of the family shares.
@Suite(.blocksThreads, .hangLimit) struct FamilyUpgradeTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.club()
        try tool.succeed(
            "init", "--home", "anna", "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer", "anna",
            "--device", "phone")
        for home in [".vitrine", "anna"] { try tool.succeed("store", "family", "join", "Miller", "--home", home) }
    }

    @Test(arguments: [false, true])
    func `a family member has only the better plan after an upgrade in the instant of the purchase`(
        loadsBetween: Bool
    ) throws {
        try tool.succeed("buy", "club.silver")
        if loadsBetween { try tool.succeed("load", "--home", "anna") }
        try tool.succeed("buy", "club.gold")
        try tool.succeed("load", "--home", "anna")

        for home in [".vitrine", "anna"] {
            #expect(try tool.run("owned", "club.gold", "--home", home).status == 0, "\(home)")
            #expect(try tool.run("owned", "club.silver", "--home", home).status == 1, "\(home)")
            let shown = try tool.succeed("subscriptions", "--json", "--home", home).json["subscriptions"]
            let products = try #require(shown as? [[String: Any]]).map { $0["product"] as? String }
            #expect(products == ["club.gold"], "\(home)")
        }
    }

    @Test func `the refund of a period that was paid during a grace period ends the family member's access`() throws {
        func owners() throws -> [String] {
            try [".vitrine", "anna"].filter { home in
                try tool.succeed("load", "--home", home)
                return try tool.run("owned", "club.silver", "--home", home).status == 0
            }
        }
        try tool.succeed("store", "set", "grace", "on")
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "set", "billing", "fail", "club.silver")
        try tool.succeed("store", "advance", "P1M")
        #expect(try owners() == [".vitrine", "anna"])
        let recovered = try tool.succeed("store", "set", "billing", "recover", "club.silver", "--json").json
        let transaction = try #require(recovered["transaction"] as? String)
        #expect(try owners() == [".vitrine", "anna"])
        try tool.succeed("store", "refund", transaction)
        #expect(try owners() == [])
    }
}
