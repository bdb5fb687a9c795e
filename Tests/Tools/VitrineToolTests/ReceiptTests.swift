import Foundation
import Testing
import VitrineTestSupport

/// App receipts in the commands of the tool.
@Suite(.blocksThreads, .hangLimit) struct ReceiptTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    /// Returns the status of `load`, and the receipt in its output.
    private func load(_ options: String...) throws -> (status: Int32, receipt: [String: Any]?) {
        let result = try tool.run(["load", "--json"] + options)
        return (result.status, try result.json["receipt"] as? [String: Any])
    }

    @Test func `an app receipt is missing until the store is asked for one`() throws {
        #expect(try load().receipt == nil)
        var found = try load("--receipt")
        #expect(found.status == 1)
        #expect(found.receipt?["state"] as? String == "missing")
        found = try load("--refresh-receipt")
        #expect(found.status == 0)
        #expect(found.receipt?["state"] as? String == "good")
        #expect(found.receipt?["purchases"] as? Int == 0)
        #expect(try load("--receipt").status == 0)
        #expect(
            try tool.run("load", "--receipt").lines.contains { $0.hasPrefix("  receipt validated (count 0, created ") })
        #expect(try tool.run("store", "receipt", "--remove").output == "there is no app receipt on the device\n")
        #expect(try load("--receipt").status == 1)
    }

    @Test(arguments: [["--expired"], ["--revoked"], ["--volume-purchase", "--expired"]])
    func `an expired app receipt is rejected, and --refresh-receipt requests a new one`(options: [String]) throws {
        try tool.run(["store", "receipt"] + options)

        let found = try load("--receipt")
        #expect(found.status == 1)
        #expect(found.receipt?["state"] as? String == "rejected")
        #expect((found.receipt?["reason"] as? String)?.hasPrefix("the receipt expired at") == true)
        #expect(try load("--refresh-receipt").receipt?["state"] as? String == "good")
        #expect(try load("--receipt").status == 0)
    }

    @Test func `non-consumables are restored from the app receipt alone, pass vitrine check, and can be exported`()
        throws
    {
        for product in ["lisbon", "coins50"] { try tool.run("buy", .voyager(product)) }
        try tool.replaceLedgerByEmptyOne()
        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        #expect(try load("--receipt").receipt?["state"] as? String == "good")

        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("store", "fail", "--clear").status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   0")
        let history = try tool.run("history")
        #expect(history.lines[1].contains("app receipt issued by the store on "))
        #expect(
            history.lines[2].hasSuffix("bought \(String.voyager("lisbon")) (transaction 1, read from the app receipt)"))
        #expect(try tool.run("check").output == "2 entries checked: no problems\n")
        #expect(try tool.run("export", "-o", "ledger.json").status == 0)
        #expect(try tool.run("import", "ledger.json").output == "ledger.json: 2 entries, 0 of them new\n")
        #expect(try tool.run("restore").status == 0)
        #expect(try tool.run("history").lines.count == 3)
        #expect(try load("--receipt").status == 0)
        #expect(try tool.run("history").lines.count == 3)
    }

    @Test func `a refund is recorded only once, although the transaction and the app receipt both report it`() throws {
        for product in ["lisbon", "porto"] { try tool.run("buy", .voyager(product)) }
        try tool.run("load", "--receipt")
        try tool.run("store", "refund", "1")
        try tool.run("load", "--receipt")

        #expect(try tool.run("owned", .voyager("lisbon")).status == 1)
        #expect(try tool.run("owned", .voyager("porto")).status == 0)
        #expect(try HomeAudit(tool.home).violations() == [])
        #expect(try HomeAudit(tool.home).entries.map(\.kind) == ["purchase", "purchase", "revocation"])
    }

    @Test(
        arguments: [
            ("damaged-receipt", "--receipt", "rejected", 1), ("app-receipt", "--receipt", "unreached", 2),
            ("app-receipt", "--refresh-receipt", "unreached", 2),
            ("refresh-receipt", "--refresh-receipt", "unreached", 2),
        ] as [(String, String, String, Int32)])
    func `an unreachable or damaged app receipt is reported and does not change ownership`(
        failure: String, option: String, state: String, status: Int32
    ) throws {
        try tool.run("buy", .voyager("lisbon"))
        if failure == "refresh-receipt" { try tool.run("store", "receipt", "--remove") }
        try tool.run("store", "fail", failure)

        let found = try load(option)
        #expect(found.status == status)
        #expect(found.receipt?["state"] as? String == state)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test func `the app receipt and its root certificate can be exported for other verifiers`() throws {
        let written = try tool.run("store", "receipt", "-o", "receipt.der", "--json")
        let receipt = try Data(contentsOf: tool.folder["receipt.der"])
        #expect(try written.json["bytes"] as? Int == receipt.count)
        #expect(receipt.first == 0x30)

        let roots = [try tool.run("store", "root").output, try tool.run("store", "root", "--receipts").output]
        #expect(roots.allSatisfy { $0.hasPrefix("-----BEGIN CERTIFICATE-----\n") })
        #expect(roots[0] != roots[1])
        #expect(try tool.run("store", "root", "--receipts").output == roots[1])
        #expect(try tool.run("store", "set", "offline", "on").status == 0)
        #expect(try tool.run("store", "receipt").status == 2)
        #expect(try tool.run("store", "receipt", "--remove", "--expired").status == 64)
    }

    @Test func `vitrine init --seed makes the store's transaction numbers predictable`() throws {
        let other = try Tool()
        let files = [
            "--catalog", Repository.sample("Voyager.plist").path(), "--store",
            Repository.sample("Voyager.storekit").path(),
        ]
        #expect(try other.run(["init", "--seed", "7"] + files).status == 0)
        #expect(try other.run("buy", .voyager("coins50")).output.contains("(transaction 7000001)"))
        #expect(try other.run(["init", "--seed", "8"] + files).status == 64)
    }
}
