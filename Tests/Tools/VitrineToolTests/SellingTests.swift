import Foundation
import GRDB
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Complete sequence of commands of a user who sets up a shop and buys products.
@Suite(.blocksThreads, .hangLimit) struct SellingTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    @Test func `loading, buying, spending and buying the bundle of all products print the expected results`() throws {
        let load = try tool.run("load")
        #expect(
            load.lines == [
                "0 products loading", "1 list loaded: 12 products",
                "  com.example.voyager.atlantis is unknown to the store and not offered",
                "2 products loaded: 10 offered",
            ])
        #expect(load.status == 0)

        #expect(try tool.run("buy", .voyager("lisbon")).output == "bought com.example.voyager.lisbon (transaction 1)\n")
        #expect(try tool.run("buy", .voyager("coins50")).output.hasSuffix("; coins: 50\n"))
        #expect(try tool.run("buy", .voyager("coins500")).output.hasSuffix("; coins: 550\n"))
        #expect(try tool.run("spend", "coins", "30", "--token", "map").output == "spent 30 of coins; 520 left\n")
        #expect(try tool.run("wallet", "coins").lines == ["WALLET  BALANCE", "coins   520"])

        #expect(try tool.run("buy", .voyager("porto")).status == 0)
        let refused = try tool.run("buy", .voyager("iberia"))
        #expect(refused.status == 1)
        #expect(refused.output.contains("2 of the bundle's 3 products are owned already, and maxChildren is 2"))

        #expect(try tool.run("buy", .voyager("everything")).status == 0)
        let why = try tool.run("why", .voyager("madrid"))
        #expect(why.status == 0)
        #expect(
            Array(why.lines.prefix(3)) == [
                "com.example.voyager.madrid is owned:",
                "  included in com.example.voyager.iberia, which is owned:",
                "    included in com.example.voyager.everything, which is owned:",
            ])
        #expect(why.lines[3].hasPrefix("      bought on 20"))
        #expect(try tool.run("owned").lines.count == 10)
        #expect(try tool.run("restore").lines.allSatisfy { $0.hasPrefix("already owned: ") })
        #expect(try tool.run("store", "transactions").lines.filter { $0.hasSuffix("  finished") }.count == 5)
    }

    @Test func `buying a product that is already owned is not charged again`() throws {
        try tool.run("buy", .voyager("lisbon"))
        let again = try tool.run("buy", .voyager("lisbon"))

        #expect(again.output == "bought com.example.voyager.lisbon (transaction 1, not charged again)\n")
        #expect(try tool.run("store", "transactions").lines.count == 2)
    }

    @Test func `twenty concurrent purchases of a product never report more charges than the store made`() throws {
        let running = try (0..<20).map { _ in try tool.start(["buy", .voyager("coins50")]) }
        var outputs: [String] = []
        for (process, output, _) in running {
            process.waitUntilExit()
            outputs.append(try String(contentsOf: output, encoding: .utf8))
        }
        let charged = outputs.count { $0.hasPrefix("bought") && !$0.contains("not charged again") }
        let transactions = try tool.run("store", "transactions").lines.count - 1

        #expect(charged <= transactions)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   \(50 * transactions)")
    }

    @Test func `buying a quantity credits the units for each item, and invalid quantities are refused`() throws {
        #expect(try tool.run("buy", .voyager("coins50"), "--quantity", "10").output.hasSuffix("; coins: 500\n"))
        #expect(try tool.run("buy", .voyager("coins50"), "--quantity", "11").status == 64)
        #expect(try tool.run("buy", .voyager("coins50"), "--quantity", "0").status == 64)
        #expect(try tool.run("buy", .voyager("lisbon"), "--quantity", "2").status == 1)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   500")
    }

    @Test func `spending beyond the balance is refused, and each token is debited only once`() throws {
        try tool.run("buy", .voyager("coins50"))

        #expect(try tool.run("spend", "coins", "51", "--token", "a").status == 1)
        #expect(try tool.run("spend", "coins", "20", "--token", "b").status == 0)
        #expect(try tool.run("spend", "coins", "20", "--token", "b").output == "spent 20 of coins; 30 left\n")
        #expect(try tool.run("spend", "coins", "21", "--token", "b").status == 1)
        #expect(try tool.run("spend", "coins", "0", "--token", "c").status == 64)
        #expect(try tool.run("spend", "coins", "5", "--token", "").status == 64)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   30")
    }

    @Test func `a granted product is owned, and vitrine why prints the reason of the grant`() throws {
        #expect(try tool.run("unlock", .voyager("atlantis"), "--reason", "won in a raffle").status == 0)
        let why = try tool.run("why", .voyager("atlantis"))

        #expect(why.lines[1].hasSuffix(": won in a raffle; the ownership ends if the product is locked"))
        #expect(try tool.run("unlock", "no.such.product").status == 1)
        #expect(try tool.run("unlock", .voyager("coins50")).status == 1)
    }

    @Test(
        arguments: [
            (["owned", "com.example.voyager.lisbon"], 1), (["owned", "no.such.product"], 1),
            (["why", "com.example.voyager.lisbon"], 1), (["why", "com.example.voyager.coins50"], 1),
            (["why", "no.such.product"], 1), (["buy", "no.such.product"], 1),
            (["buy", "com.example.voyager.atlantis"], 1), (["wallet", "rubies"], 1), (["wallet"], 0),
            (["owned"], 0), (["restore"], 0), (["frobnicate"], 64), (["buy"], 64), (["spend", "coins"], 64),
        ] as [([String], Int32)]
    )
    func `the exit status of a vitrine command reflects its result`(arguments: [String], status: Int32) throws {
        let (process, _, _) = try tool.start(arguments)
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
    }

    @Test func `vitrine restore reports that no purchases exist to restore`() throws {
        #expect(try tool.run("restore").output == "nothing to restore\n")
    }

    @Test func `vitrine commands with --json print one JSON document`() throws {
        let bought = try tool.run("buy", .voyager("coins50"), "--json").json
        #expect(bought["answer"] as? String == "success")
        #expect(bought["transaction"] as? String == "1")
        #expect(bought["notChargedAgain"] as? Bool == false)
        #expect(bought["balance"] as? Int == 50)

        let load = try tool.run("load", "--json").json
        #expect(load["statuses"] as? [Int] == [0, 1, 2])
        #expect(load["invalidIdentifiers"] as? [String] == [.voyager("atlantis")])
        #expect((load["products"] as? [[String: Any]])?.count == 12)

        let why = try tool.run("why", .voyager("lisbon"), "--json").json
        #expect(((why["chain"] as? [[String: Any]])?.first?["owned"]) as? String == "no")

        let failure = try tool.run("spend", "coins", "51", "--token", "a", "--json").json
        #expect((failure["error"] as? [String: Any])?["status"] as? Int == 1)

        for arguments in [["owned"], ["wallet"], ["restore"], ["store", "transactions"], ["store", "root"]] {
            let (process, output, _) = try tool.start(arguments + ["--json"])
            process.waitUntilExit()
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(contentsOf: output)) }
        }
    }

    @Test func `vitrine prints events to standard error, and only with --verbose`() throws {
        let quiet = try tool.run("buy", .voyager("coins50"))
        #expect(quiet.errors.isEmpty)

        let verbose = try tool.run("buy", .voyager("coins50"), "--verbose")
        #expect(verbose.output == "bought com.example.voyager.coins50 (transaction 2); coins: 100\n")
        #expect(
            Array(verbose.errors.split(separator: "\n").suffix(6)) == [
                "transaction received: com.example.voyager.coins50 (transaction 2)",
                "transaction verified: com.example.voyager.coins50 (transaction 2, original 2)",
                "transaction recorded: com.example.voyager.coins50 (new true, transaction 2, original 2)",
                "wallet changed (wallet coins, balance 100)",
                "transaction finished: com.example.voyager.coins50 (transaction 2, original 2)",
                "purchase answered: com.example.voyager.coins50 (answer success, transaction 2, original 2)",
            ])
    }

    @Test func `vitrine store root prints one root certificate`() throws {
        let root = try tool.run("store", "root").output
        #expect(try TrustedRoots(pem: root).certificates.count == 1)
    }

    @Test func `without catalog and store, recorded purchases are owned and other ownership is unknown`() throws {
        let catalog = try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        #expect(try tool.run("init", "--catalog", "catalog.plist").status == 0)
        try tool.run("buy", .voyager("iberia"))
        try tool.run("buy", .voyager("coins50"))
        try FileManager.default.removeItem(at: catalog)
        try FileManager.default.removeItem(at: tool.home.appending(path: "Store"))

        let owned = try tool.run("owned")
        #expect(owned.status == 0)
        #expect(owned.lines.count == 6)
        #expect(owned.lines[1].hasPrefix("com.example.voyager.iberia  bought on "))
        #expect(
            owned.lines[5]
                == "more products may be owned: no catalog is loaded, so the contents of bundles are unknown")
        #expect(try tool.run("owned", .voyager("iberia")).status == 0)
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        #expect(try tool.run("owned", .voyager("vienna")).status == 2)
        #expect(try tool.run("why", .voyager("vienna")).status == 2)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
        #expect(try tool.run("wallet", "rubies").status == 2)
        #expect(try tool.run("load").status == 1)
        #expect(try tool.run("buy", .voyager("porto")).status == 1)
        #expect(try tool.run("restore").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.home.appending(path: "Store").path()))
    }

    @Test func `balances are unknown if no catalog is loaded and the ledger has no wallets`() throws {
        let catalog = try tool.folder.write(PlistText.document("<array/>"), to: "c.plist")
        #expect(try tool.run("init", "--catalog", catalog.path()).status == 0)
        #expect(try tool.run("wallet").status == 0)

        try FileManager.default.removeItem(at: catalog)
        let wallet = try tool.run("wallet")
        #expect(wallet.status == 2)
        #expect(wallet.errors == "vitrine: error: no catalog is loaded, and the ledger contains no wallet\n")
    }

    @Test func `every vitrine command warns about a paid transaction that cannot be delivered`() throws {
        let catalog = try tool.folder.write(
            PlistText.document("<array><string>com.example.voyager.porto</string></array>"), to: "c.plist")
        try tool.run("buy", .voyager("lisbon"))
        let raw = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
        try raw.write {
            try $0.execute(
                sql: """
                    UPDATE purchase SET productIdentifier = 'lost', id = 9;
                    INSERT INTO unfinished VALUES (1, 9);
                    """)
        }
        #expect(try tool.run("init", "--catalog", catalog.path()).status == 0)

        let load = try tool.run("load")
        #expect(load.status == 0)
        #expect(
            load.errors == "vitrine: warning: transaction waits: lost (reason unknown-product, transaction 9): "
                + "lost is not in the catalog\n")
        #expect(try tool.run("owned").errors == load.errors)
    }

    @Test func `a store transaction with an out-of-range date is reported instead of causing a crash`() throws {
        try tool.run("buy", .voyager("lisbon"))
        let raw = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
        try raw.write {
            try $0.execute(
                sql: """
                    UPDATE purchase SET purchaseDate = \(Int64.max);
                    INSERT OR IGNORE INTO unfinished SELECT 1, id FROM purchase;
                    """)
        }

        let restore = try tool.run("restore")
        #expect(restore.status == 1)
        #expect(
            restore.errors.contains("a date in the signed data is out of range")
                || restore.output.contains("outside the years"))
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test(arguments: ["missing", "empty"])
    func `a missing or empty ledger is rebuilt from the store, and its balances are unknown`(
        what: String
    ) throws {
        for product in ["lisbon", "coins500"] { #expect(try tool.run("buy", .voyager(product)).status == 0) }
        #expect(try tool.run("spend", "coins", "30", "--token", "map").status == 0)
        let ledger = tool.home.appending(path: "ledger.sqlite")
        try FileManager.default.removeItem(at: ledger)
        if what == "empty" { try Data().write(to: ledger) }

        let owned = try tool.run("owned", .voyager("lisbon"))
        #expect(owned.status == 0)
        #expect(owned.errors.hasPrefix("vitrine: warning: the ledger was lost: the ledger is missing or empty"))
        let wallet = try tool.run("wallet", "coins")
        #expect(wallet.status == 2)
        #expect(wallet.lines.last == "coins   unknown, at least 0")
        #expect(try tool.run("buy", .voyager("coins50")).status == 0)
        #expect(try tool.run("spend", "coins", "30", "--token", "map").status == 2)
        #expect(try tool.run("settle", "--by", "support").status == 0)
        #expect(try tool.run("wallet", "coins").lines.last == "coins   50")
        #expect(try tool.run("owned").errors.isEmpty)
    }

    @Test func `a new storage directory reports no ledger loss`() throws {
        #expect(try tool.run("owned").errors.isEmpty)
        #expect(try tool.run("wallet").errors.isEmpty)
    }

    @Test func `the help of every vitrine command contains an example`() throws {
        let commands = [
            [], ["lint"], ["show"], ["diff"], ["convert"], ["init"], ["load"], ["buy"], ["restore"], ["unlock"],
            ["owned"],
            ["why"],
            ["wallet"], ["spend"], ["content", "list"], ["content", "download"], ["content", "path"],
            ["store", "transactions"], ["store", "refund"], ["store", "root"], ["lock"], ["history"], ["pending"],
            ["retry"], ["discard"], ["check"], ["settle"], ["export"], ["import"],
        ]
        for command in commands {
            let (process, output, _) = try tool.start(command + ["--help"])
            process.waitUntilExit()
            let help = try String(contentsOf: output, encoding: .utf8)
            #expect(process.terminationStatus == 0)
            let example = help.components(separatedBy: command.isEmpty ? "first:" : "EXAMPLE").dropFirst().first
            #expect(example?.contains("vitrine \(command.first ?? "init")") == true, "\(command)")
        }
    }

    @Test func `load, buy and restore write no files outside the storage directory`() throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path())
        try tool.run("load")
        try tool.run("buy", .voyager("lisbon"))
        try tool.run("restore")

        #expect(before == [".vitrine"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path()) == before)
    }
}
