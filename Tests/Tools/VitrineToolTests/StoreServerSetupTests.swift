import Foundation
import GRDB
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Commands that prepare a store for the app's server.
@Suite(.blocksThreads, .hangLimit) struct StoreServerSetupTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    // MARK: Keys

    @Test func `vitrine store key writes a key in the format of App Store Connect that only its owner can read`() throws
    {
        let lines = try tool.succeed("store", "key", "--folder", "New/Keys").lines
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder["New/Keys"].path())
        let name = try #require(names.first)
        let identifier = try #require(name.wholeMatch(of: /AuthKey_([2-9A-Z]{10})\.p8/)).1
        let file = tool.folder["New/Keys/\(name)"]
        let pem = try String(contentsOf: file, encoding: .utf8)

        #expect(names.count == 1)
        #expect(lines[0] == "wrote New/Keys/\(name)")
        #expect(lines[1] == "key: \(identifier)")
        let issuer = try #require(lines[2].wholeMatch(of: /issuer: ([0-9a-f-]{36})/)).1
        #expect(lines[3] == "app: com.example.club")
        #expect(lines.count == 4)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(throws: Never.self) {
            try AppStoreServerKey(pem: pem, identifier: String(identifier), issuer: String(issuer))
        }
        let leaked = try String(
            decoding: Data(contentsOf: tool.home.appending(path: "Store/store.sqlite")), as: UTF8.self)
        #expect(!leaked.contains(pem.split(separator: "\n")[1]))
    }

    @Test func `each key made by store key has its own identifier, and all keys share one issuer`() throws {
        let keys = try (0..<3).map { _ in try tool.succeed("store", "key", "--json").json }

        #expect(Set(keys.compactMap { $0["key"] as? String }).count == 3)
        #expect(Set(keys.compactMap { $0["issuer"] as? String }).count == 1)
        for key in keys {
            #expect(key["file"] as? String == "AuthKey_\(key["key"] as? String ?? "").p8")
            #expect(key["app"] as? String == "com.example.club")
            #expect(tool.folder.has(key["file"] as? String ?? "-"))
        }
    }

    /// Calls a function with the database of a tool's store.
    private static func withStore<Value>(of tool: Tool, _ body: (Database) throws -> Value) throws -> Value {
        let store = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
        defer { try? store.close() }
        return try store.write(body)
    }

    private static func keyCount(of tool: Tool) throws -> Int? {
        try withStore(of: tool) { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM serverKey") }
    }

    @Test func `vitrine store key does not replace the key file of another store, and adds no key to the store then`()
        throws
    {
        let other = try Tool.club()
        let folder = tool.folder["Keys"].path()
        let first = try tool.succeed("store", "key", "--folder", folder, "--json").json
        let file = tool.folder["Keys/AuthKey_\(first["key"] as? String ?? "").p8"]
        let pem = try Data(contentsOf: file)

        // Both stores have the same seed, and so the same identifiers.
        let refused = try other.run("store", "key", "--folder", folder)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("already exists and is not replaced"))
        #expect(try Data(contentsOf: file) == pem)
        #expect(try Self.keyCount(of: other) == 0)
        #expect(try other.run("store", "key", "--folder", "Keys").status == 0)
        #expect(try Self.keyCount(of: other) == 1)
    }

    #if os(Linux)
        @Test func `vitrine store key adds no key to the store if its file cannot be written`() throws {
            let failed = try tool.run("store", "key", "--folder", "/proc")
            #expect(failed.status == 74)
            #expect(failed.errors.contains("cannot be written"), "\(failed.errors)")
            #expect(try Self.keyCount(of: tool) == 0)
        }
    #endif

    @Test func `vitrine store key leaves no file of a key that the store cannot add`() throws {
        try Self.withStore(of: tool) {
            try $0.execute(
                sql: "CREATE TRIGGER broken BEFORE INSERT ON serverKey BEGIN SELECT RAISE(ABORT, 'broken'); END")
        }
        #expect(try tool.run("store", "key", "--folder", "Keys").status != 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder["Keys"].path()).isEmpty)
        #expect(try Self.keyCount(of: tool) == 0)
    }

    @Test func `vitrine store key creates no key if its folder cannot be created`() throws {
        try tool.folder.write("a file", to: "Keys")
        let before = try tool.storeBytes

        #expect(try tool.run("store", "key", "--folder", "Keys").status == 74)
        #expect(try tool.run("store", "key", "--folder", "").status == 64)
        #expect(try tool.storeBytes == before)
    }

    // MARK: Addresses

    @Test func `an address for server notifications with a password is refused, and the password is not printed`()
        throws
    {
        for arguments in [[], ["--json"]] {
            let refused = try tool.run(["store", "webhook", "http://user:sesame@127.0.0.1:1/"] + arguments)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("contains a user name or password"))
            #expect(!(refused.output + refused.errors).contains("sesame"))
        }
        #expect(try tool.succeed("store", "webhook").output == "no notifications are sent\n")
    }

    @Test func `the address for server notifications can be shown, set and removed`() throws {
        #expect(try tool.succeed("store", "webhook").output == "no notifications are sent\n")
        #expect(try tool.succeed("store", "webhook", "--json").json.isEmpty)
        for address in ["http://127.0.0.1:8081/notifications", "https://example.com", "HTTPS://example.com/a?b=c"] {
            #expect(try tool.succeed("store", "webhook", address).output == "notifications are sent to \(address)\n")
            #expect(try tool.succeed("store", "webhook", "--json").json["webhook"] as? String == address)
        }
        #expect(try tool.succeed("store", "webhook", "none").output == "no notifications are sent\n")
        #expect(try tool.succeed("store", "webhook").output == "no notifications are sent\n")
    }

    @Test(arguments: [
        "", "None", "127.0.0.1:8081/notifications", "ftp://example.com/a", "http://", "https:///notifications",
        "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://exam ple.com", "file:///notifications",
        "https://me:secret@example.com/",
    ])
    func `an invalid address for server notifications is refused, and the earlier address remains`(address: String)
        throws
    {
        try tool.succeed("store", "webhook", "http://127.0.0.1:8081/")
        let refused = try tool.run("store", "webhook", address)

        #expect(refused.status == 64)
        let printed = address.replacing("me:secret", with: "…")
        #expect(refused.errors.contains("vitrine: error: \"\(printed)\" "), "\(refused.errors)")
        #expect(refused.errors.contains("Give an address with https or http, or none."))
        #expect(try tool.succeed("store", "webhook").output == "notifications are sent to http://127.0.0.1:8081/\n")
    }

    // MARK: Environments

    @Test(arguments: [
        ["production"], ["production", "--app-id", "0"], ["production", "--app-id=-5"],
        ["production", "--app-id", "x"],
        ["sandbox", "--app-id", "5"], ["--app-id", "5"], ["xcode"],
    ])
    func `vitrine store environment requires an app identifier for production and refuses it otherwise`(
        arguments: [String]
    ) throws {
        #expect(try tool.run(["store", "environment"] + arguments).status == 64)
        #expect(try tool.succeed("store", "environment").output == "the store's environment is sandbox\n")
    }

    @Test func `purchases signed in one environment stay owned after the store switches to another environment`() throws
    {
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("store", "environment", "production", "--app-id", "1234567890").output
                == "the store's environment is production, the number of the app is 1234567890\n")
        let shown = try tool.succeed("store", "environment", "--json").json
        #expect(shown["environment"] as? String == "production")
        #expect(shown["appId"] as? Int == 1_234_567_890)
        try tool.succeed("buy", "map")
        try checkPurchases()
        #expect(try tool.succeed("load", "--receipt", "--json").output.contains("\"state\" : \"good\""))

        #expect(
            try tool.succeed("store", "environment", "sandbox").output == "the store's environment is sandbox\n")
        try checkPurchases()
        #expect(try tool.succeed("load", "--receipt", "--json").output.contains("\"state\" : \"good\""))
        #expect(try signedEnvironments() == ["Production", "Sandbox"])
    }

    private func checkPurchases() throws {
        for product in ["club.silver", "map"] where try tool.run("store", "timeline").output.contains(product) {
            #expect(try tool.run("owned", product).status == 0)
        }
        for command in [["check"], ["restore"], ["load", "--refresh-receipt"], ["doctor"]] {
            let result = try tool.run(command)
            #expect(result.status == 0, "\(command): \(result.output)\(result.errors)")
            #expect(result.errors.isEmpty, "\(command): \(result.errors)")
        }
    }

    /// Returns the environments in the signed data of the ledger's purchases.
    private func signedEnvironments() throws -> Set<String> {
        let entries = try #require(try tool.run("export").json["entries"] as? [[String: Any]])
        let tokens = entries.compactMap { $0["signedData"] as? String }.filter { $0.hasPrefix("ey") }
        return try Set(
            tokens.map { try SignedDataClaims(unverified: $0).environment?.rawValue ?? "none" })
    }

    // MARK: Help

    @Test(arguments: [
        ["serve"], ["key"], ["webhook"], ["environment"], ["notifications"], ["notify", "test"], ["request-refund"],
        ["decline-refund", "1"],
    ])
    func `each server command of the store has help with an example, and fails if the store is missing`(
        arguments: [String]
    ) throws {
        let help = try tool.run(["store", arguments[0], "--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("EXAMPLE:\n  vitrine store "))
        #expect(help.output.contains("\n  vitrine store \(arguments[0])"))

        try FileManager.default.removeItem(at: tool.home.appending(path: "Store"))
        let missed = try tool.run(["store"] + arguments, environment: Tool.withServer)
        #expect(missed.status == 66)
        #expect(missed.errors.contains("there is no simulated store in"))
        #expect(missed.errors.contains("; 'vitrine init' makes one\n"), "\(missed.errors)")
    }
}
