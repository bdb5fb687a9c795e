import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Commands that control the simulated store. The tests check the store itself, not an app.
@Suite(.blocksThreads, .hangLimit) struct StoreCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    private func openStore() throws -> SimulatedStore {
        try SimulatedStore(folder: tool.home.appending(path: "Store"))
    }

    /// Runs `vitrine store`, and expects that it succeeds without output on standard error.
    @discardableResult
    private func store(_ arguments: String...) throws -> Tool.Result {
        let result = try tool.run(["store"] + arguments)
        #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
        return result
    }

    /// Buys a product directly in the store, without an app.
    private func buy(_ name: String) async throws -> String {
        guard let transaction = try await openStore().purchase(.voyager(name), quantity: 1).transaction else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        return transaction.id
    }

    @Test func `an Ask to Buy purchase is pending until it is approved or declined`() async throws {
        #expect(try store("set", "ask-to-buy", "on").output == "new purchases need approval\n")
        for _ in 0..<2 { #expect(try await openStore().purchase(.voyager("coins50"), quantity: 3) == .pending) }
        #expect(try store("transactions").lines.dropFirst().allSatisfy { $0.hasSuffix("  pending") })

        #expect(try store("approve", "1").output == "approved 3 of com.example.voyager.coins50 (transaction 1)\n")
        #expect(try store("decline", "2").output == "declined 3 of com.example.voyager.coins50 (transaction 2)\n")
        #expect(try store("transactions").lines.count == 2)
        #expect(try store("transactions").lines[1].hasSuffix("  unfinished"))

        #expect(try store("set", "ask-to-buy", "off").output == "new purchases need no approval\n")
        #expect(try await buy("lisbon") == "3")
    }

    @Test func `a purchase that is approved by the tool is delivered by the next command`() async throws {
        try store("set", "ask-to-buy", "on")
        #expect(try await openStore().purchase(.voyager("lisbon"), quantity: 1) == .pending)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        try store("approve", "1")

        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try store("transactions").lines[1].hasSuffix("  finished"))
    }

    @Test func `approving or declining a purchase that does not wait for approval fails`() async throws {
        let id = try await buy("lisbon")
        for command in ["approve", "decline"] {
            let result = try tool.run("store", command, id)
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "vitrine: error: the purchase 1 does not wait for approval: it has already become a transaction\n"
            )
            #expect(try tool.run("store", command, "99").status == 1)
        }
    }

    @Test func `the refund of a purchase can be reversed, but only once`() async throws {
        let id = try await buy("lisbon")
        #expect(try tool.run("store", "reverse-refund", id).status == 1)
        try store("refund", id)
        #expect(
            try store("reverse-refund", id).output
                == "refund reversed: com.example.voyager.lisbon (transaction 1)\n")

        #expect(try store("transactions").lines[1].hasSuffix("  unfinished"))
        #expect(try tool.run("store", "reverse-refund", id).status == 1)
    }

    @Test func `a product can be shared by the family, and the sharing can be revoked`() async throws {
        #expect(
            try store("share", .voyager("lisbon")).output == "shared com.example.voyager.lisbon (transaction 1)\n")
        #expect(try store("transactions").lines[1].hasSuffix("  shared by the family, unfinished"))
        #expect(
            try store("revoke-family", "1").output
                == "no longer shared: com.example.voyager.lisbon (transaction 1)\n")
        #expect(try store("transactions").lines[1].contains("  shared by the family, revoked on 20"))

        #expect(try tool.run("store", "share", .voyager("coins50")).status == 1)
        #expect(try tool.run("store", "revoke-family", try await buy("rome")).status == 1)
    }

    @Test(arguments: SimulatedFailure.allCases)
    func `each simulated failure of the store can be set and cleared`(failure: SimulatedFailure) async throws {
        #expect(
            try store("fail", failure.rawValue).output
                == "simulated failure of the store, until 'vitrine store fail --clear': \(failure.rawValue)\n")
        #expect(
            try store("fail", failure.rawValue, "--times", "2").output
                == "simulated failure of the store, 2 times: \(failure.rawValue)\n")
        #expect(try store("fail", "--clear").output == "all simulated failures ended\n")

        _ = try await buy("lisbon")
        #expect(try await openStore().products(for: [.voyager("lisbon")]).count == 1)
    }

    @Test func `a simulated failure with --times 1 affects only one purchase`() async throws {
        #expect(
            try store("fail", "lost-answer", "--times", "1").output
                == "simulated failure of the store, once: lost-answer\n")
        await #expect(throws: StoreError.self) { try await buy("coins50") }

        #expect(try await buy("coins50") == "1")
    }

    @Test func `vitrine store set offline makes the store unreachable until it is turned off`() async throws {
        #expect(try store("set", "offline", "on").output == "the device is offline\n")
        let error = await #expect(throws: StoreError.self) { try await openStore().restore() }
        #expect(error?.code == .network)

        #expect(try store("set", "offline", "off").output == "the device is online\n")
        #expect(try await openStore().restore().isEmpty)
    }

    @Test func `purchases can be forbidden with a reason, and allowed again`() async throws {
        let reason = "a parent has forbidden purchases"
        #expect(try store("set", "restriction", reason).output == "purchases are forbidden: \(reason)\n")
        #expect(try await openStore().paymentRestriction() == reason)

        #expect(try store("set", "restriction", "none").output == "purchases are allowed\n")
        #expect(try await openStore().paymentRestriction() == nil)
    }

    @Test func `a promoted purchase started in the store is delivered to the app`() async throws {
        #expect(
            try store("promote", .voyager("lisbon")).output
                == "the customer has started a purchase of com.example.voyager.lisbon in the store, which the app has to "
                + "complete\n")
        #expect(try tool.run("store", "promote", .voyager("atlantis")).status == 1)

        #expect(try await openStore().promotedPurchases().first { _ in true }?.productIdentifier == .voyager("lisbon"))
    }

    @Test func `store commands print JSON with --json`() async throws {
        #expect(try store("set", "ask-to-buy", "on", "--json").json["askToBuy"] as? Bool == true)
        let options = PurchaseOptions(accountToken: UUID())
        for name in ["lisbon", "porto"] { _ = try await openStore().purchase(.voyager(name), options: options) }
        let approved = try store("approve", "1", "--json").json
        #expect(approved["transaction"] as? String == "1")
        #expect(approved["product"] as? String == .voyager("lisbon"))
        #expect(approved["date"] is String)
        #expect(try store("share", .voyager("rome"), "--json").json["transaction"] as? String == "3")

        let listed = try #require(try store("transactions", "--json").json["transactions"] as? [[String: Any]])
        #expect(listed.map { $0["id"] as? String } == ["1", "3", "2"])
        #expect(listed.map { $0["pending"] as? Bool } == [false, false, true])
        #expect(listed.map { $0["familyShared"] as? Bool } == [false, true, false])
        #expect(listed[0]["accountToken"] as? String == options.accountToken?.uuidString.lowercased())
        #expect(listed[1]["accountToken"] == nil)
        #expect(listed.map { $0["order"] as? String } == ["M000000001", "M000000003", nil])

        #expect(try store("decline", "2", "--json").json["product"] as? String == .voyager("porto"))
        #expect(try store("revoke-family", "3", "--json").json["date"] is String)
        try store("refund", "1")
        #expect(try store("reverse-refund", "1", "--json").json["transaction"] as? String == "1")
        #expect(try store("set", "offline", "off", "--json").json["offline"] as? Bool == false)
        #expect(try store("set", "restriction", "no", "--json").json["restriction"] as? String == "no")
        #expect(try store("set", "restriction", "none", "--json").json.isEmpty)
        #expect(try store("promote", .voyager("rome"), "--json").json["product"] as? String == .voyager("rome"))
        let armed = try store("fail", "network", "--times", "3", "--json").json
        #expect(armed["failure"] as? String == "network")
        #expect(armed["times"] as? Int == 3)
        #expect(try store("fail", "--clear", "--json").json.isEmpty)
        let refused = try tool.run("store", "share", .voyager("atlantis"), "--json").json
        #expect((refused["error"] as? [String: Any])?["status"] as? Int == 1)
    }

    @Test(
        arguments: [
            ["fail"], ["fail", "everything"], ["fail", "network", "--clear"], ["fail", "--clear", "--times", "1"],
            ["fail", "network", "--times", "0"], ["set"], ["set", "ask-to-buy"],
            ["set", "ask-to-buy", "maybe"], ["set", "offline", "no"], ["set", "offline", "on", "a"],
            ["set", "restriction"], ["set", "restriction", ""], ["set", "billing", "fail"],
            ["set", "billing", "on", "a"], ["set", "renewal", "off"], ["set", "weather", "on"], ["approve"],
            ["promote"],
        ]
    )
    func `store commands refuse invalid arguments and change nothing`(arguments: [String]) async throws {
        let result = try tool.run(["store"] + arguments)

        #expect(result.status == 64)
        _ = try await buy("lisbon")
    }

    @Test(
        arguments: [
            ["fail", "network"], ["set", "ask-to-buy", "on"], ["approve", "1"], ["decline", "1"],
            ["reverse-refund", "1"],
            ["share", "a"], ["revoke-family", "1"], ["set", "restriction", "no"], ["promote", "a"], ["transactions"],
            ["refund", "1"], ["root"],
        ]
    )
    func `each store command has help with an example, and fails if the store is missing`(arguments: [String]) throws {
        let help = try tool.run(["store", arguments[0], "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("EXAMPLE:\n  vitrine store \(arguments[0])"))

        try FileManager.default.removeItem(at: tool.home.appending(path: "Store"))
        #expect(try tool.run(["store"] + arguments).status == 66)
    }
}
