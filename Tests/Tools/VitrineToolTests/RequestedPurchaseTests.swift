import Foundation
import Testing
import VitrineTestSupport

/// Purchases that the customer requests in the store, and purchases that the store does not finish.
@Suite(.blocksThreads, .hangLimit) struct RequestedPurchaseTests {
    private let tool: Tool
    private static let coins = String.voyager("coins50")

    init() throws { tool = try Tool.voyager() }

    private func requested(_ result: Tool.Result) -> [String] {
        result.lines.filter { $0.contains("requested in the store") }
    }

    @Test func `vitrine load prints the result of a purchase that the customer requested in the store`() throws {
        let vienna = String.voyager("vienna")
        try tool.succeed("store", "promote", vienna)
        #expect(
            requested(try tool.succeed("load")) == ["  \(vienna), requested in the store: bought (transaction 1)"])
        #expect(requested(try tool.succeed("load")) == [])

        try tool.succeed("store", "promote", vienna)
        #expect(
            requested(try tool.succeed("load"))
                == ["  \(vienna), requested in the store: not bought: \(vienna) is already owned"])
    }

    @Test func `vitrine load --json has the result of a purchase that the customer requested in the store`() throws {
        try tool.succeed("store", "fail", "not-allowed", "--times", "1")
        try tool.succeed("store", "promote", Self.coins)
        let refused = try tool.succeed("load", "--json").json["requested"] as? [[String: String]]
        #expect(
            refused == [
                ["product": Self.coins, "answer": "failed", "reason": "the customer is not allowed to buy"]
            ])

        try tool.succeed("store", "promote", Self.coins)
        let made = try tool.succeed("load", "--json").json["requested"] as? [[String: String]]
        #expect(made == [["product": Self.coins, "answer": "success", "transaction": "1"]])
        #expect((try tool.succeed("load", "--json").json["requested"] as? [Any])?.isEmpty == true)
    }

    @Test func `commands warn of a purchase that is recorded, but not finished with the store`() throws {
        let warning = "warning: \(Self.coins) (transaction 1) is recorded, but not yet finished with the store: "
        try tool.succeed("store", "fail", "finish", "--times", "3")
        let bought = try tool.succeed("buy", Self.coins)
        #expect(bought.output == "bought \(Self.coins) (transaction 1); coins: 50\n")
        #expect(bought.errors.contains(warning))
        #expect(bought.errors.contains("; the next load finishes it\n"))

        for command in ["pending", "load"] { #expect(try tool.succeed(command).errors.contains(warning)) }
        for command in ["pending", "load"] { #expect(try !tool.succeed(command).errors.contains("warning")) }
        #expect(try tool.succeed("wallet", "coins").lines.last == "coins   50")
    }
}
