import Foundation
import Testing
import VitrineTestSupport

/// Clock of a home's store, which all commands of the home use.
@Suite(.blocksThreads, .hangLimit) struct StoreClockCommandTests {
    @Test func `a subscription ends for every command when the store's clock reaches its expiration date`() throws {
        let tool = try Tool.club()
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("owned", "club.silver").lines[0].hasSuffix("until 2040-02-15 00:00 UTC (transaction 1)"))
        try tool.succeed("store", "set", "renewal", "off", "club.silver")

        let advanced = try tool.succeed("store", "advance", "P1M").lines
        #expect(
            advanced.map { $0.replacing(#/ +/#, with: " ") } == [
                "DATE EVENT CUSTOMER PRODUCT TRANSACTION DETAIL",
                "2040-02-15 00:00:00 UTC expired default club.silver 1 renewal was turned off",
                "the store's clock stands at 2040-02-15 00:00:00 UTC",
            ])
        #expect(try tool.run("owned", "club.silver").status == 1)
        #expect(try tool.run("why", "club.silver").output.contains("2040-02-15"))
        #expect(try tool.run("listing", "--json").output.contains(#""owned" : "yes""#) == false)
        #expect(try tool.succeed("history").lines[1].contains("2040-01-15 00:00:00 UTC"))
    }

    @Test func `each renewal until the advanced date is delivered once by the next command`() throws {
        let tool = try Tool.club()
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "advance", "2040-04-20")
        for _ in 0..<2 { try tool.succeed("owned", "club.silver") }

        let entries = try #require(try tool.run("history", "--json").json["entries"] as? [[String: Any]])
        let purchases = entries.filter { $0["kind"] as? String == "purchase" }
        #expect(purchases.compactMap { $0["transaction"] as? String } == ["1", "2", "3", "4"])
        #expect(entries.last?["recorded"] as? String == "2040-04-20T00:00:00Z")
        let transactions = try tool.succeed("store", "transactions").lines
        #expect(transactions[1].hasSuffix("  2040-02-15 00:00:00 UTC  finished"))
        #expect(transactions[4].hasSuffix("  2040-05-15 00:00:00 UTC  renewal, finished"))
        #expect(try tool.run("check").status == 0)
    }

    @Test func `ten concurrent processes record renewals, an upgrade and a refund only once`() throws {
        let tool = try Tool.club()
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "advance", "2040-03-20")
        try tool.succeed("store", "refund", "2")
        let running = try (0..<10).map { number in
            try tool.start(number == 4 ? ["buy", "club.gold"] : ["subscriptions"]).process
        }
        for process in running { process.waitUntilExit() }

        #expect(running[4].terminationStatus == 0)
        let entries = try #require(try tool.run("history", "--json").json["entries"] as? [[String: Any]])
        let recorded = { (kind: String) in
            entries.filter { $0["kind"] as? String == kind }.compactMap { $0["transaction"] as? String }.sorted()
        }
        #expect(recorded("purchase").filter { $0 != "2" } == ["1", "3", "4"])
        #expect(recorded("revocation") == ["2"])
        #expect(try tool.succeed("owned").lines.contains { $0.hasPrefix("club.gold ") })
        #expect(try tool.run("owned", "club.silver").status == 1)
        #expect(try tool.run("check").status == 0)
    }

    @Test func `vitrine store clock shows the date and the next event, and can follow the machine's clock`() throws {
        let tool = try Tool.club()
        #expect(
            try tool.succeed("store", "clock").lines == [
                "2040-01-15 00:00:00 UTC, by a virtual clock, which stands still", "time causes no change in the store",
            ])
        try tool.succeed("buy", "club.week")
        #expect(
            try tool.succeed("store", "clock").lines[1]
                == "next change that time causes in the store: 2040-01-22 00:00:00 UTC")
        let json = try tool.run("store", "clock", "--json").json
        #expect(json["clock"] as? String == "virtual")
        #expect(json["nextEvent"] as? String == "2040-01-22T00:00:00Z")

        let machine = try tool.succeed("store", "clock", "machine").lines
        #expect(machine[0].hasSuffix("by the clock of this machine"))
        #expect(machine[0].hasPrefix("2040") == false)
        #expect(try tool.succeed("store", "clock", "virtual").lines[0].hasSuffix("which stands still"))
    }

    @Test(arguments: [
        ("30d", "2040-02-14T00:00:00Z"), ("2w", "2040-01-29T00:00:00Z"), ("12h", "2040-01-15T12:00:00Z"),
        ("90m", "2040-01-15T01:30:00Z"), ("45s", "2040-01-15T00:00:45Z"), ("P1Y", "2041-01-15T00:00:00Z"),
        ("P1M", "2040-02-15T00:00:00Z"), ("P1Y2M3DT4H", "2041-03-18T04:00:00Z"), ("PT12H", "2040-01-15T12:00:00Z"),
        ("2040-01-31", "2040-01-31T00:00:00Z"), ("2040-01-31T06:00:00Z", "2040-01-31T06:00:00Z"),
        ("2040-01-31 06:00:00 UTC", "2040-01-31T06:00:00Z"), ("2040-01-31 06:00 UTC", "2040-01-31T06:00:00Z"),
    ])
    func `vitrine store advance moves the clock by a duration or to a date`(argument: String, date: String) throws {
        let tool = try Tool.club()
        let json = try tool.succeed("store", "advance", argument, "--json").json

        #expect(json["date"] as? String == date)
        #expect((json["events"] as? [Any])?.isEmpty == true)
        #expect(try tool.run("store", "clock", "--json").json["date"] as? String == date)
    }

    @Test func `advancing one month from the last day of a month ends on the last day of the next month`() throws {
        let tool = try Tool.club()
        try tool.succeed("store", "advance", "2040-01-31")

        #expect(try tool.run("store", "advance", "P1M", "--json").json["date"] as? String == "2040-02-29T00:00:00Z")
    }

    @Test func `a cached catalog becomes stale by the store's clock`() async throws {
        let (tool, publisher) = (try Tool(), CatalogPublisher.current)
        let server = try await CatalogServer(publisher)
        try tool.initializeRemote(server, publisher)
        for _ in 0..<2 { try tool.succeed("load") }
        #expect(server.requests == 1)
        try tool.succeed("store", "advance", "25h")

        #expect(try tool.run("catalog", "status", "--json").json["isFresh"] as? Bool == false)
        for _ in 0..<2 { try tool.succeed("load") }
        #expect(server.requests == 2)
        #expect(try tool.run("catalog", "status", "--json").json["isFresh"] as? Bool == true)
    }

    @Test func `app receipts and the default date of the first installation follow the store's clock`()
        throws
    {
        let tool = try Tool.club()
        let set = try tool.run("init", "--original-build", "7", "--json").json
        #expect(set["originalDate"] as? String == Tool.clubStart)
        for (arguments, state) in [([], "good"), (["--expired"], "rejected")] {
            try tool.run(["store", "receipt"] + arguments)
            let receipt = try tool.run("load", "--receipt", "--json").json["receipt"] as? [String: Any]
            #expect(receipt?["state"] as? String == state)
        }
    }

    @Test func `vitrine store timeline lists past events and the events that will follow without further commands`()
        throws
    {
        let tool = try Tool.club()
        #expect(try tool.succeed("store", "timeline").output == "nothing has happened in the store\n")
        try tool.succeed("buy", "club.gold")
        try tool.succeed("buy", "map")
        try tool.succeed("buy", "club.silver")

        let lines = try tool.succeed("store", "timeline", "--ahead", "2").lines
        #expect(
            lines.map { $0.replacing(#/ +/#, with: " ") } == [
                "DATE EVENT CUSTOMER PRODUCT TRANSACTION DETAIL",
                "2040-01-15 00:00:00 UTC purchased default club.gold 1 with the introductory offer",
                "2040-01-15 00:00:00 UTC purchased default map 2",
                "2040-01-15 00:00:00 UTC plan-change-requested default club.silver 1",
                "2040-01-15 00:00:00 UTC: now; if no command changes the store, there will follow:",
                "2040-01-22 00:00:00 UTC renewed default club.silver 3",
                "2040-02-22 00:00:00 UTC renewed default club.silver 4",
            ])
        #expect(try tool.eventKinds("events", "map") == ["purchased"])
        #expect(try tool.eventKinds("ahead", "map") == [])
        #expect(try tool.eventKinds("ahead", "--ahead", "9").count == 9)
        #expect(try tool.succeed("store", "transactions").lines.count == 3)
    }

    @Test func `vitrine store rate shortens the subscription periods that begin afterwards`() throws {
        let tool = try Tool.club()
        #expect(try tool.succeed("store", "rate").lines[0] == "real-time (present rate)")
        try tool.succeed("store", "rate", "monthly-renewal-every-hour")
        #expect(try tool.succeed("store", "rate").lines.contains("monthly-renewal-every-hour (present rate)"))
        try tool.succeed("buy", "club.silver")

        let json = try tool.succeed("store", "advance", "2h", "--json").json
        #expect((json["events"] as? [[String: Any]])?.map { $0["kind"] as? String } == ["renewed", "renewed"])
    }
}
