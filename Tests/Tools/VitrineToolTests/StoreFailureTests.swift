import Foundation
import Testing
import VitrineTestSupport

/// Failures of the store as a customer sees them, and the number of charges.
@Suite(.blocksThreads, .hangLimit) struct StoreFailureTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int32
        let output: String
        var isBought = false
        var testDescription: String { name }
    }

    private static let coins = String.voyager("coins50")

    private static let failures = [
        Failure(name: "cancelled", status: 1, output: "\(coins): cancelled\n"),
        Failure(
            name: "network", status: 2,
            output: "\(coins): pending: the outcome is unknown: the store cannot be reached\n"),
        Failure(
            name: "lost-answer", status: 2,
            output: "\(coins): pending: the outcome is unknown: "
                + "the connection was lost before the store answered\n", isBought: true),
        Failure(name: "not-available", status: 1, output: "not bought: the store does not sell \(coins)\n"),
        Failure(name: "not-allowed", status: 1, output: "not bought: the customer is not allowed to buy\n"),
        Failure(
            name: "unknown", status: 2,
            output: "\(coins): pending: the outcome is unknown: "
                + "the store failed without a reason\n"),
    ]

    private func transactions() throws -> [[String: Any]] {
        try #require(try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]])
    }

    @Test(arguments: failures)
    func `a purchase that fails and is tried again is charged only once`(failure: Failure) throws {
        try tool.run("store", "fail", failure.name, "--times", "1")

        let first = try tool.run("buy", Self.coins)
        #expect(first.status == failure.status)
        #expect(first.output == failure.output)
        #expect(try transactions().count == (failure.isBought ? 1 : 0))

        let charge = failure.isBought ? ", not charged again" : ""
        let second = try tool.run("buy", Self.coins)
        #expect(second.output == "bought \(Self.coins) (transaction 1\(charge)); coins: 50\n")
        #expect(second.status == 0)
        #expect(try transactions().count == 1)
        #expect(try HomeAudit(tool.home).violations() == [])

        #expect(try tool.run("buy", Self.coins).output == "bought \(Self.coins) (transaction 2); coins: 100\n")
    }

    @Test(arguments: failures)
    func `vitrine buy --json reports a failed purchase with its reason`(failure: Failure) throws {
        try tool.run("store", "fail", failure.name, "--times", "1")

        let result = try tool.run("buy", Self.coins, "--json")
        #expect(result.status == failure.status)
        let texts: [Int32: String] = [1: failure.name == "cancelled" ? "cancelled" : "failed", 2: "pending"]
        #expect(try result.json["answer"] as? String == texts[failure.status])
        let reason = try result.json["reason"] as? String
        #expect(reason.map { failure.output.hasSuffix(": \($0)\n") } ?? (failure.name == "cancelled"))
    }

    @Test func `a purchase whose response was lost is delivered by the next command`() throws {
        try tool.run("store", "fail", "lost-answer", "--times", "1")
        #expect(try tool.run("buy", Self.coins, "--quantity", "3").status == 2)

        #expect(try tool.run("wallet", "coins").lines.last == "coins   150")
        #expect(try transactions().map { $0["finished"] as? Bool } == [true])
    }

    @Test func `a reinstated purchase is not mistaken for the result of a new purchase`() throws {
        try tool.run("buy", Self.coins)
        for command in ["refund", "reverse-refund"] {
            #expect(try tool.run("store", command, "1").status == 0)
            if command == "refund" { try tool.run("load") }
        }

        #expect(try tool.run("buy", Self.coins).output == "bought \(Self.coins) (transaction 2); coins: 100\n")
    }

    @Test func `a non-consumable whose purchase response was lost is not charged again`() throws {
        try tool.run("store", "fail", "lost-answer", "--times", "1")
        #expect(try tool.run("buy", .voyager("lisbon")).status == 2)

        #expect(try tool.run("buy", .voyager("lisbon")).output.hasSuffix(" (transaction 1, not charged again)\n"))
        #expect(try transactions().count == 1)
    }

    @Test func `a transaction that the store failed to finish is finished by the next command`() throws {
        try tool.run("store", "fail", "finish", "--times", "1")
        let bought = try tool.run("buy", Self.coins)
        #expect(bought.status == 0)
        #expect(bought.output.hasSuffix("; coins: 50\n"))

        #expect(try transactions().map { $0["finished"] as? Bool } == [false])
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
        #expect(try transactions().map { $0["finished"] as? Bool } == [true])
    }

    @Test(
        arguments: [
            (["load"], "products", 1), (["restore"], "restore", 1), (["retry"], "unfinished", 2),
            (["buy", "com.example.voyager.lisbon"], "products", 1), (["owned"], "app-transaction", 0),
        ] as [([String], String, Int32)]
    )
    func `a failed store call is reported, and no purchase is charged`(
        command: [String], failure: String, status: Int32
    ) throws {
        try tool.run("store", "fail", failure)

        let result = try tool.run(command)
        #expect(result.status == status)
        #expect((result.output + result.errors).contains("the store"))
        #expect(try transactions().isEmpty)
        try tool.run("store", "fail", "--clear")
        #expect(try tool.run(command).status == 0)
    }

    @Test func `purchases fail while the store is offline, and owned products remain known`() throws {
        try tool.run("buy", .voyager("lisbon"))
        try tool.run("store", "set", "offline", "on")

        // What the store said last is known: it is asked whether it is there, and nothing is attempted.
        let refused = try tool.run("buy", .voyager("porto"))
        #expect(refused.status == 1)
        #expect(refused.output == "not bought: the store cannot be reached\n")
        #expect(try transactions().count == 1)
        #expect(
            try tool.run("restore").errors.contains("error: the store query failed: the store cannot be reached"))
        #expect(try tool.run("load").status == 1)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)

        try tool.run("store", "set", "offline", "off")
        #expect(try tool.run("buy", .voyager("porto")).status == 0)
    }

    @Test func `no product is offered if the store has been offline from the beginning`() throws {
        try tool.run("store", "set", "offline", "on")

        let refused = try tool.run("buy", .voyager("porto"))
        #expect(refused.status == 1)
        #expect(refused.output.contains("is not offered: the store has not answered yet which products it sells"))
        #expect(try transactions().isEmpty)
    }

    @Test func `a purchase is refused with the reason if payments are not allowed`() throws {
        try tool.run("store", "set", "restriction", "a parent has forbidden purchases")

        let refused = try tool.run("buy", .voyager("lisbon"))
        #expect(refused.status == 1)
        #expect(refused.output == "not bought: payments are not allowed: a parent has forbidden purchases\n")
        #expect(try transactions().isEmpty)

        try tool.run("store", "set", "restriction", "none")
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
    }
}
