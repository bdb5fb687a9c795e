import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

/// Commands that record, export and replay a store.
@Suite(.blocksThreads, .hangLimit) struct ReplayCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Result {
        let status: Int32
        let output: String
        let errors: String

        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        }
    }

    /// Runs the tool with a home of the given name.
    @discardableResult
    private func run(_ home: String, _ arguments: String..., expecting status: Int32 = 0) throws -> Result {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = Bundle.main.bundleURL.appending(path: "vitrine")
        process.arguments = arguments + ["--home", home]
        process.currentDirectoryURL = folder.url
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let said = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let result = Result(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self))
        #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        return result
    }

    /// Creates a home that sells the products of `Club.storekit`, or all but one.
    private func create(_ home: String, seed: Int, without missing: String? = nil) throws {
        let catalog =
            ["club.gold", "news"].map { Self.product($0, "autoRenewableSubscription") } + [
                Self.product("map", "nonConsumable"),
                Self.product(
                    "coins", "consumable",
                    "<key>storageKey</key><string>coins</string><key>productValue</key><integer>1</integer>"),
            ]
        try folder.write(PlistText.document("<array>\(catalog.joined())</array>"), to: "Club.plist")
        let file = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        var configuration = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        let products = configuration["products"] as? [[String: Any]]
        configuration["products"] = products?.filter { $0["productID"] as? String != missing }
        try folder.write(JSONSerialization.data(withJSONObject: configuration), to: "Club.storekit")
        try run(
            home, "init", "--catalog", "Club.plist", "--store", "Club.storekit", "--bundle", "com.example.club",
            "--seed", String(seed))
    }

    private static func product(_ identifier: String, _ type: String, _ more: String = "") -> String {
        """
        <dict><key>productIdentifier</key><string>\(identifier)</string>
        <key>type</key><string>\(type)</string>\(more)</dict>
        """
    }

    /// Returns the transactions of a home's store, without their numbers.
    private func sold(_ home: String) throws -> [String] {
        let transactions = try #require(
            try run(home, "store", "transactions", "--json").json()["transactions"] as? [[String: Any]])
        return transactions.map { transaction in
            [
                "product", "quantity", "date", "expires", "refunded", "refundedPercent", "familyShared", "upgraded",
                "offer",
            ]
            .map { "\($0): \(transaction[$0] ?? "-")" }.joined(separator: ", ")
        }.sorted()
    }

    /// Returns the owned products of a home as the tool prints them, without transaction numbers.
    private func owned(_ home: String) throws -> [String] {
        try run(home, "owned").output.split(separator: "\n")
            .map { String($0.replacing(/transaction [0-9]+/, with: "transaction")) }.sorted()
    }

    /// Creates a home with purchases over several months, from which a customer case is made.
    private func live(_ home: String) throws {
        try create(home, seed: 5)
        try run(home, "store", "clock", "virtual", "2027-01-15T10:00:00Z")
        try run(home, "buy", "club.gold")
        try run(home, "store", "advance", "3d")
        try run(home, "buy", "map")
        try run(home, "buy", "coins", "--quantity", "3")
        try run(home, "store", "advance", "P2M")
        try run(home, "load")
        try run(home, "store", "refund", try identifier(of: "map", home), "--percent", "40")
        try run(home, "load")
        try run(home, "buy", "news")
        try run(home, "store", "set", "renewal", "off", "news")
        try run(home, "load")
        try run(home, "store", "advance", "P2M")
        try run(home, "load")
    }

    private func identifier(of product: String, _ home: String) throws -> String {
        let transactions = try run(home, "store", "transactions", "--json").json()["transactions"] as? [[String: Any]]
        return try #require(transactions?.first { $0["product"] as? String == product }?["id"] as? String)
    }

    @Test func `replaying an exported ledger in another storage directory gives the same transactions and ownership`()
        throws
    {
        try live("original")
        try run("original", "export", "-o", "ledger.json")
        try create("case", seed: 6)
        let replay = try run("case", "store", "replay", "ledger.json", "--json").json()
        try run("case", "load")

        #expect(try sold("case") == sold("original"))
        #expect(try owned("case") == owned("original"))
        #expect(replay["notRepeated"] as? [String] == [])
    }

    @Test func `ledger entries that a simulated store cannot repeat are reported by the replay`() throws {
        try live("original")
        try run("original", "unlock", "map")
        try run("original", "export", "-o", "ledger.json")
        try create("case", seed: 6, without: "map")
        let output = try run("case", "store", "replay", "ledger.json").output

        #expect(output.contains("not repeated: an entry of the kind grant"))
        #expect(output.contains("not repeated: the purchase of map at"))
    }

    @Test func `a recorded store is replayed by the tool, and a second replay into the same store is refused`() throws {
        try create("original", seed: 5)
        let store = folder["original/Store"]
        let server = try RecordingEmulator(of: store, to: folder["recording.jsonl"])
        try run("original", "store", "clock", "virtual")
        try run("original", "buy", "club.gold")
        try run("original", "store", "advance", "P2M")
        try server.end()
        try create("case", seed: 6)
        let replay = try run("case", "store", "replay", "recording.jsonl")

        #expect(try sold("case") == sold("original"))
        #expect(replay.output.contains("purchase"))
        let second = try run("case", "store", "replay", "recording.jsonl", expecting: 1)
        #expect(second.errors.contains("the store has purchases"))
    }

    @Test func `the replay of a file that is neither a recording nor a ledger is refused`() throws {
        try create("case", seed: 6)
        try folder.write("hello\n", to: "text")
        #expect(try run("case", "store", "replay", "text", expecting: 65).errors.contains("text: line 1"))
        try run("case", "store", "replay", "missing", expecting: 66)
    }
}
