import Foundation
import Testing
import VitrineTestSupport

/// Decisions of parents, the family and the store about purchases, and the resulting ownership.
@Suite(.blocksThreads, .hangLimit) struct StoreDecisionTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    /// Runs a command, and expects that it succeeds.
    private func run(_ arguments: String...) throws {
        let result = try tool.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.output)\(result.errors)")
    }

    private func coins() throws -> String? { try tool.run("wallet", "coins").lines.last }

    // MARK: Ask to Buy

    @Test func `an approved purchase is delivered once, and buying it again is not charged`() throws {
        try run("store", "set", "ask-to-buy", "on")
        for product in ["lisbon", "coins50"] {
            let asked = try tool.run("buy", .voyager(product))
            #expect(asked.status == 2)
            #expect(asked.output == "com.example.voyager.\(product): pending: approval is required\n")
        }
        #expect(try tool.run("history").output == "the ledger is empty\n")

        for (number, product) in [("1", "lisbon"), ("2", "coins50")] {
            try run("store", "approve", number)
            let again = try tool.run("buy", .voyager(product))
            #expect(again.status == 0)
            #expect(again.output.contains("(transaction \(number), not charged again)"))
        }
        #expect(try coins() == "coins   50")
        #expect(try HomeAudit(tool.home).violations() == [])
    }

    @Test func `a declined purchase is not owned and can be requested again`() throws {
        try run("store", "set", "ask-to-buy", "on")
        #expect(try tool.run("buy", .voyager("lisbon")).status == 2)
        try run("store", "decline", "1")

        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        #expect(try tool.run("pending").output == "no pending transactions\n")
        #expect(try tool.run("buy", .voyager("lisbon")).status == 2)
        try run("store", "approve", "2")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `a pending purchase can be approved by product if only one purchase of the product is pending`() throws {
        try run("store", "set", "ask-to-buy", "on")
        for product in ["lisbon", "porto", "coins50", "coins50"] {
            #expect(try tool.run("buy", .voyager(product)).status == 2)
        }
        #expect(
            try tool.run("store", "approve", .voyager("lisbon")).output
                == "approved com.example.voyager.lisbon (transaction 1)\n")
        #expect(
            try tool.run("store", "decline", .voyager("porto")).output
                == "declined com.example.voyager.porto (transaction 2)\n")
        for decision in ["approve", "decline"] {
            let several = try tool.run("store", decision, .voyager("coins50"))
            #expect(several.status == 1)
            #expect(
                several.errors.hasSuffix(
                    "2 purchases of com.example.voyager.coins50 wait for approval: 3, 4; "
                        + "name one of these identifiers\n"))
            let none = try tool.run("store", decision, .voyager("lisbon"))
            #expect(none.status == 1)
            #expect(none.errors.contains("no purchase com.example.voyager.lisbon waits for approval"))
        }
        try run("store", "approve", "4")
        try run("store", "approve", .voyager("coins50"))
        #expect(try coins() == "coins   100")
    }

    // MARK: Refunds

    @Test func `a refund debits the unspent units, and its reversal credits them again`() throws {
        try run("buy", .voyager("coins50"))
        try run("spend", "coins", "30", "--token", "map")
        try run("store", "refund", "1")
        #expect(try coins() == "coins   0")
        try run("store", "refund", "1")
        #expect(try coins() == "coins   0")

        try run("store", "reverse-refund", "1")
        #expect(try coins() == "coins   20")
        #expect(try coins() == "coins   20")
        #expect(try HomeAudit(tool.home).violations() == [])
    }

    @Test func `a refund ends the ownership of a product, and its reversal restores it`() throws {
        try run("buy", .voyager("lisbon"))
        try run("store", "refund", "1")
        let why = try tool.run("why", .voyager("lisbon"))
        #expect(why.status == 1)
        #expect(why.lines.last?.hasPrefix("  no longer valid: transaction 1, revoked on 20") == true)

        try run("store", "reverse-refund", "1")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        try run("store", "refund", "1")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        #expect(try tool.run("check").status == 0)
    }

    // MARK: The family

    @Test func `a product shared by the family is owned until the sharing ends`() throws {
        try run("store", "share", .voyager("madrid"))
        let why = try tool.run("why", .voyager("madrid"))
        #expect(why.status == 0)
        #expect(why.lines[1].hasPrefix("  shared by the family since 20"))
        #expect(why.lines[1].hasSuffix("(transaction 1); the ownership ends if the purchase is no longer shared"))

        try run("store", "revoke-family", "1")
        #expect(try tool.run("owned", .voyager("madrid")).status == 1)
        #expect(try tool.run("history").lines.count == 3)
    }

    @Test func `a product that is also purchased stays owned when family sharing ends`() throws {
        try run("buy", .voyager("madrid"))
        try run("store", "share", .voyager("madrid"))
        try run("load")
        try run("store", "revoke-family", "2")

        #expect(try tool.run("owned", .voyager("madrid")).status == 0)
    }

    // MARK: Promotions

    @Test func `a promoted purchase started in the store is completed once at the next launch`() throws {
        try run("store", "promote", .voyager("vienna"))
        let loaded = try tool.run("load", "--verbose")
        #expect(loaded.status == 0)
        // The tool listens from the creation of its manager on; the promotion itself may arrive before.
        #expect(loaded.errors.contains("purchase answered: com.example.voyager.vienna (answer success"))

        #expect(try tool.run("load", "--verbose").errors.contains("purchase answered") == false)
        #expect(try tool.run("owned", .voyager("vienna")).status == 0)
        #expect(try tool.run("store", "transactions").lines.count == 2)
    }
}
