import Foundation
import Testing
import VitrineTestSupport

/// Three homes of one customer that exchange through one folder. Each command is a new process.
@Suite(.blocksThreads, .hangLimit) struct SyncTests {
    private static let coins = "com.example.voyager.coins50"
    private static let guide = "com.example.voyager.lisbon"
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        try tool.succeed("store", "clock", "virtual", "2040-01-15")
        for home in ["tablet", "phone"] {
            try tool.succeed(
                "init", "--home", home, "--catalog", Repository.file("Catalogs/Voyager.plist").path(), "--join",
                ".vitrine/Store", "--customer", "default", "--device", home)
        }
        try FileManager.default.createDirectory(at: tool.folder["Shared"], withIntermediateDirectories: true)
        try Data.random(32).write(to: tool.folder["customer.key"])
    }

    private static let homes = [".vitrine", "tablet", "phone"]

    @discardableResult private func sync(_ home: String, _ more: String...) throws -> Tool.Result {
        try tool.run(
            [
                "sync", "--home", home, "--folder", "Shared", "--key", "customer.key", "--name",
                home == ".vitrine" ? "desk" : home,
            ] + more)
    }

    private func syncAll() throws {
        for home in Self.homes + Self.homes {
            let result = try sync(home)
            #expect(result.status == 0, "\(home): \(result.output)\(result.errors)")
        }
    }

    private func coins(_ home: String) throws -> String? {
        try tool.succeed("wallet", "coins", "--home", home).lines.last
    }

    private func expectCoins(_ number: Int) throws {
        for home in Self.homes {
            #expect(try coins(home) == "coins   \(number)", "\(home)")
            #expect(try tool.run("check", "--home", home).status == 0, "\(home)")
        }
    }

    @Test func `a purchase on one device is available on all devices, and its refund removes it from all`() throws {
        try tool.succeed("buy", Self.coins, "--home", "tablet")
        try tool.succeed("buy", Self.guide, "--home", "phone")
        try syncAll()
        try expectCoins(50)
        for home in Self.homes { #expect(try tool.run("owned", Self.guide, "--home", home).status == 0) }

        try tool.succeed("spend", "coins", "20", "--token", "map", "--home", "phone")
        try syncAll()
        try expectCoins(30)
        #expect(try tool.run("spend", "coins", "20", "--token", "map", "--home", "tablet").status == 0)
        try expectCoins(30)

        let transactions = try tool.succeed("store", "transactions", "--home", "tablet").lines
        let coins = try #require(transactions.first { $0.contains(Self.coins) }).prefix { $0 != " " }
        let guide = try #require(transactions.first { $0.contains(Self.guide) }).prefix { $0 != " " }
        try tool.succeed("store", "refund", String(coins))
        try tool.succeed("store", "refund", String(guide))
        try syncAll()
        try expectCoins(0)
        for home in Self.homes { #expect(try tool.run("owned", Self.guide, "--home", home).status == 1) }
    }

    @Test func `two devices that were offline for a month end with the same balance, and both report the overspending`()
        throws
    {
        try tool.succeed("buy", Self.coins)
        try tool.succeed("unlock", "com.example.voyager.atlantis", "--home", "tablet")
        try syncAll()
        try expectCoins(50)

        try tool.succeed("spend", "coins", "40", "--token", "a", "--home", "tablet")
        try tool.succeed("store", "advance", "P1M")
        try tool.succeed("spend", "coins", "30", "--token", "b", "--home", "phone")
        try tool.succeed("buy", Self.coins, "--home", "phone")
        try tool.succeed("lock", "com.example.voyager.atlantis", "--home", "phone")

        #expect(try sync("phone").status == 0)
        let remark = "; in all they have spent 20 units that it did not contain then"
        #expect(try sync("tablet").output.contains(remark))
        #expect(try sync("phone").output.contains(remark))
        try syncAll()
        try expectCoins(50)
        for home in Self.homes {
            #expect(try tool.run("owned", "com.example.voyager.atlantis", "--home", home).status == 1, "\(home)")
        }
        let history = try tool.succeed("history", "--home", ".vitrine").output
        #expect(history.contains("40 out of the wallet coins, spent for \"a\", on tablet"))
        #expect(history.contains("30 out of the wallet coins, spent for \"b\", on phone"))
    }

    @Test func `documents of another customer give a customer with a key neither products nor units`() throws {
        try tool.succeed(
            "init", "--home", "thief", "--catalog", Repository.file("Catalogs/Voyager.plist").path(), "--join",
            ".vitrine/Store", "--customer", "thief", "--device", "thief")
        for folder in ["Open", "Own"] {
            try FileManager.default.createDirectory(at: tool.folder[folder], withIntermediateDirectories: true)
        }
        try Data.random(32, seed: 9).write(to: tool.folder["thief.key"])
        // One home of the customer exchanges without a key, and one with the customer's key.
        for home in ["tablet", "phone"] {
            try tool.succeed("buy", Self.coins, "--home", home)
            try tool.succeed("buy", Self.guide, "--home", home)
        }
        try tool.succeed("sync", "--home", "tablet", "--folder", "Open")
        #expect(try sync("phone").status == 0)
        for folder in ["Open", "Shared"] {
            let documents = try FileManager.default.contentsOfDirectory(atPath: tool.folder[folder].path())
                .filter { $0.hasSuffix(".facts") }
            #expect(!documents.isEmpty)
            for name in documents {
                try FileManager.default.copyItem(at: tool.folder["\(folder)/\(name)"], to: tool.folder["Own/\(name)"])
            }
        }
        let result = try tool.run("sync", "--home", "thief", "--folder", "Own", "--key", "thief.key")
        #expect(result.status == 1)
        #expect(result.output.contains("0 received"), "\(result.output)")
        #expect(result.output.contains("it is not sealed with the customer's key"), "\(result.output)")
        #expect(result.output.contains("it is of another customer, or sealed with another key"), "\(result.output)")
        #expect(try coins("thief") == "coins   0")
        #expect(try tool.run("owned", Self.guide, "--home", "thief").status == 1)
        #expect(try tool.run("spend", "coins", "1", "--token", "stolen", "--home", "thief").status == 1)
        #expect(try tool.run("check", "--home", "thief").status == 0)
    }

    @Test func `vitrine why names the device that recorded the reason of ownership`() throws {
        try tool.succeed(
            "unlock", "com.example.voyager.atlantis", "--reason", "a gift", "--home", "tablet")
        try sync("tablet")
        try sync("phone")
        let why = try tool.succeed("why", "com.example.voyager.atlantis", "--home", "phone")
        #expect(why.output.contains("a gift, on tablet; the ownership ends if the product is locked"))
        let devices = try tool.succeed("devices", "--home", "phone", "--json").json["devices"] as? [[String: Any]]
        #expect(devices?.map { $0["name"] as? String } == ["phone", "tablet"])
        #expect(devices?.map { $0["this"] as? Bool } == [true, nil])
        let chain = try tool.run("why", "com.example.voyager.atlantis", "--home", "phone", "--json").json["chain"]
        let reasons = (chain as? [[String: Any]])?.first?["because"] as? [[String: Any]]
        #expect(reasons?.first?["device"] as? String == devices?.last?["id"] as? String)
    }

    @Test func `a wallet's starting balance counts once per customer`() throws {
        try tool.folder.write(
            PlistText.document(
                """
                <dict><key>wallets</key><dict><key>coins</key><dict><key>startingBalance</key><integer>10</integer></dict></dict>
                <key>products</key><array><dict><key>productIdentifier</key><string>\(Self.coins)</string>
                <key>consumable</key><true/><key>storageKey</key><string>coins</string>
                <key>productValue</key><integer>50</integer></dict></array></dict>
                """), to: "Coins.plist")
        for home in Self.homes { try tool.succeed("init", "--home", home, "--catalog", "Coins.plist") }
        try tool.succeed("spend", "coins", "4", "--token", "a", "--home", "phone")
        try syncAll()
        try expectCoins(6)
    }

    @Test func `an exchange without new facts writes no files`() throws {
        try tool.succeed("buy", Self.coins)
        try syncAll()
        let before = try FileManager.default.contentsOfDirectory(atPath: tool.folder["Shared"].path())
        #expect(try sync("phone").output == "0 facts sent, 0 received\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder["Shared"].path()) == before)
    }

    @Test func `units leased to one device can be spent there offline, not on other devices, and can be released`()
        throws
    {
        try tool.succeed("buy", Self.coins)
        try syncAll()
        try tool.succeed(
            "devices", "lease", "coins", "30", "--token", "trip", "--until", "2040-02-15", "--home", "phone")
        try sync("tablet")
        let refused = try tool.run("spend", "coins", "21", "--token", "a", "--home", "tablet")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("of which 30 are leased by other devices"))
        try tool.succeed("spend", "coins", "20", "--token", "a", "--home", "tablet")
        #expect(try tool.run("spend", "coins", "31", "--token", "b", "--leased", "--home", "phone").status == 1)
        try tool.succeed("spend", "coins", "25", "--token", "b", "--leased", "--home", "phone")
        let more = try tool.run(
            "devices", "lease", "coins", "6", "--token", "more", "--until", "2040-02-15", "--home", "tablet")
        #expect(more.status == 1, "\(more.output)")

        try tool.succeed("devices", "release", "trip", "--home", "phone")
        try syncAll()
        try expectCoins(5)
        try tool.succeed("spend", "coins", "5", "--token", "c", "--home", "tablet")
    }

    @Test func `a storage directory restored from a backup continues as a new device, and no facts are lost`() throws {
        try tool.succeed("buy", Self.coins)
        try syncAll()
        let copy = tool.folder["tablet.copy"]
        try FileManager.default.copyItem(at: tool.folder["tablet"], to: copy)
        try tool.succeed("spend", "coins", "10", "--token", "a", "--home", "tablet")
        try sync("tablet")
        try tool.succeed("spend", "coins", "15", "--token", "b", "--home", "tablet.copy")
        let result = try sync("tablet.copy")
        #expect(result.status == 1)
        #expect(result.output.contains("a copy of this storage directory has exchanged as the same device"))
        try syncAll()
        try expectCoins(25)
        #expect(try coins("tablet.copy") == "coins   25")
        let devices = try tool.succeed("devices", "--home", ".vitrine", "--json").json["devices"] as? [[String: Any]]
        #expect(devices?.count == 4)
    }

    @Test func `a device can be removed or sign out, and an exchange with another customer's key is refused`() throws {
        try tool.succeed("buy", Self.coins)
        try syncAll()
        let devices = try tool.succeed("devices", "--json").json["devices"] as? [[String: Any]]
        let tablet = try #require(devices?.first { $0["name"] as? String == "tablet" }?["id"] as? String)
        try tool.succeed("devices", "remove", tablet)
        let removed = try sync("tablet")
        #expect(removed.status == 1)
        #expect(removed.output.contains("desk: the device has removed this one, which no longer exchanges"))
        #expect(try sync("tablet").errors.contains("has removed this device"))
        try tool.succeed("devices", "start-over", "--home", "tablet")
        let again = try sync("tablet", "--name", "tablet again")
        #expect(again.status == 0, "\(again.output)\(again.errors)")

        try tool.succeed("spend", "coins", "10", "--token", "a", "--home", "phone")
        try tool.succeed("devices", "leave", "--home", "phone")
        try sync(".vitrine")
        #expect(try coins(".vitrine") == "coins   40")
        let left = try tool.succeed("devices").lines
        #expect(left.contains { $0.contains("phone") && $0.contains("signed out") })
        #expect(left.contains { $0.contains("tablet again") && !$0.contains("removed") })
        #expect(try tool.run("sync", "--home", "phone").errors.contains("name the folder"))
        #expect(left.contains { $0.contains("tablet") && $0.contains("removed") })

        try Data.random(32, seed: 9).write(to: tool.folder["other.key"])
        let other = try tool.run("sync", "--home", ".vitrine", "--key", "other.key")
        #expect(other.status == 1)
        #expect(other.errors.contains("belongs to a customer with another key"))

        // The same customer with a new key, in a new folder: everything is published again.
        try FileManager.default.createDirectory(at: tool.folder["New"], withIntermediateDirectories: true)
        for home in [".vitrine", "tablet"] {
            try tool.succeed("devices", "start-over", "--home", home)
            try tool.succeed("sync", "--home", home, "--folder", "New", "--key", "other.key", "--name", home)
        }
        try tool.succeed("devices", "start-over", "--home", "phone")
        try tool.succeed("sync", "--home", "phone", "--folder", "New", "--key", "other.key", "--name", "phone")
        try tool.succeed("sync", "--home", "tablet")
        for home in Self.homes { #expect(try coins(home) == "coins   40", "\(home)") }
    }

    @Test func `vitrine sync publishes recorded facts again after the shared folder is emptied or replaced`() throws {
        try tool.succeed("buy", Self.coins)
        try tool.succeed("spend", "coins", "20", "--token", "a")
        try sync(".vitrine")
        let shared = tool.folder["Shared"]
        for name in try FileManager.default.contentsOfDirectory(atPath: shared.path()) {
            try FileManager.default.removeItem(at: shared.appending(path: name))
        }
        try sync(".vitrine")
        try sync("tablet")
        #expect(try coins("tablet") == "coins   30")

        try FileManager.default.createDirectory(at: tool.folder["New"], withIntermediateDirectories: true)
        try tool.succeed("sync", "--folder", "New")
        try tool.succeed("sync", "--home", "phone", "--folder", "New", "--key", "customer.key", "--name", "phone")
        #expect(try coins("phone") == "coins   30")
        try tool.succeed("init", "--content", Repository.samplePackages.path())
        try tool.succeed("sync")
    }

    @Test func `a lease is recorded once per token and refused if its end has passed`() throws {
        try tool.succeed("buy", Self.coins)
        try syncAll()
        func lease(_ amount: String, _ until: String, _ home: String) throws -> Tool.Result {
            try tool.run("devices", "lease", "coins", amount, "--token", "trip", "--until", until, "--home", home)
        }
        #expect(try lease("5", "2039-01-31", "phone").errors.contains("the end of the lease has passed"))
        #expect(try lease("20", "2040-02-15", "phone").status == 0)
        #expect(try lease("20", "2040-02-15", "phone").status == 0)
        for (amount, home) in [("21", "phone"), ("20", "tablet")] {
            let result = try lease(amount, "2040-02-15", home)
            #expect(result.status == 1)
            #expect(result.errors.contains("a different lease is already recorded"), "\(result.errors)")
        }
        #expect(try tool.run("devices", "release", "trip", "--home", "tablet").status == 1)
        #expect(try lease("0", "2040-02-15", "phone").status == 64)
        try FileManager.default.copyItem(at: tool.folder["customer.key"], to: tool.folder["Shared/customer.key"])
        #expect(try tool.run("sync", "--key", "Shared/customer.key").status == 64)
    }
}
