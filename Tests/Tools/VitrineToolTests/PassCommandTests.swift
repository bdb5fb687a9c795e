import Foundation
import Testing
import VitrineTestSupport

/// Non-renewing subscriptions on the command line, with two devices.
@Suite(.blocksThreads, .hangLimit) struct PassCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.passes()
        try tool.succeed(
            "init", "--home", "tablet", "--catalog", "Pass.plist", "--join", ".vitrine/Store", "--customer", "default",
            "--device", "tablet")
    }

    private static let first = "subscribed on 2040-01-15, until 2040-02-14 00:00 UTC (transaction 1)"
    private static let second =
        "subscribed on 2040-01-25, quantity 2, from 2040-02-14 00:00 UTC, until 2040-04-14 00:00 UTC (transaction 2)"

    @Test func `a running pass is bought again, and all commands say until when the purchases add up`() throws {
        try tool.succeed("buy", "pass")
        try tool.succeed("store", "advance", "10d")
        #expect(
            try tool.succeed("buy", "pass", "--quantity", "2").output == "bought 2 of pass (transaction 2)\n")

        let sum = "until 2040-04-14 00:00 UTC by 2 purchases"
        #expect(try tool.succeed("owned", "pass").output == "pass: \(sum): \(Self.first); \(Self.second)\n")
        let json = try tool.succeed("owned", "pass", "--json").json
        #expect(json["until"] as? String == "2040-04-14T00:00:00Z")
        let reasons = try #require(json["because"] as? [[String: Any]])
        #expect(reasons.map { $0["quantity"] as? Int } == [1, 2])
        #expect(
            reasons.map { $0["from"] as? String } == ["2040-01-15T00:00:00Z", "2040-02-14T00:00:00Z"])

        let ending = "; the time that it adds ends on that date, unless the store revokes the purchase before"
        #expect(
            try tool.succeed("why", "pass").lines == [
                "pass is owned \(sum):", "  \(Self.first)\(ending)", "  \(Self.second)\(ending)",
            ])
        #expect(
            try tool.succeed("subscriptions").lines == [
                "pass: non-renewing, \(sum): \(Self.first); \(Self.second)"
            ])
        #expect(try tool.succeed("listing").lines.contains("  offered"))
        #expect(try tool.succeed("check").errors.isEmpty)

        try tool.succeed("store", "refund", "1")
        #expect(
            try tool.succeed("owned", "pass").output
                == "pass: subscribed on 2040-01-25, quantity 2, until 2040-03-25 00:00 UTC (transaction 2)\n")
    }

    @Test func `passes bought at once on two devices add up on both`() throws {
        try tool.succeed("buy", "pass")
        // The pass of the other device is recorded first, and is not taken for an earlier command.
        #expect(try tool.succeed("buy", "pass", "--home", "tablet").output == "bought pass (transaction 2)\n")
        for home in [".vitrine", "tablet"] {
            let output = try tool.succeed("owned", "pass", "--home", home).output
            #expect(output.hasPrefix("pass: until 2040-03-15 00:00 UTC by 2 purchases: "), "\(home): \(output)")
            #expect(try tool.run("check", "--home", home).status == 0)
        }
    }

    @Test func `a purchase of a pass whose response was lost is not charged again by the repeated command`() throws {
        try tool.succeed("store", "fail", "lost-answer", "--times", "1")
        #expect(try tool.run("buy", "pass").status == 2)
        #expect(try tool.succeed("buy", "pass").output == "bought pass (transaction 1, not charged again)\n")
        #expect(try tool.succeed("buy", "pass").output == "bought pass (transaction 2)\n")
    }

    @Test func `a changed duration is reported, and the history of durations mends a device that joins later`() throws {
        try tool.succeed("buy", "pass")
        try tool.succeed("store", "advance", "1d")
        try FileManager.default.copyItem(at: tool.folder["Pass.plist"], to: tool.folder["Old.plist"])
        try tool.writePass(duration: "P7D")
        let change = try tool.run("diff", "Old.plist", "Pass.plist").output
        #expect(change.contains("With P30D in formerDurations, earlier ones keep their duration on every device"))
        try tool.succeed(
            "init", "--home", "phone", "--catalog", "Pass.plist", "--join", ".vitrine/Store", "--customer", "default",
            "--device", "phone")
        try tool.succeed("restore", "--home", "phone")
        func end(_ home: String) throws -> String? {
            try tool.succeed("owned", "pass", "--home", home, "--json").json["until"] as? String
        }
        #expect(try end(".vitrine") == "2040-02-14T00:00:00Z")
        #expect(try end("phone") == "2040-01-22T00:00:00Z")

        try tool.writePass(
            duration: "P7D",
            """
            <key>formerDurations</key><array><dict><key>duration</key><string>P30D</string>
            <key>until</key><date>2040-01-16T00:00:00Z</date></dict></array>
            """)
        #expect(try tool.run("lint", "Pass.plist").status == 0)
        for home in [".vitrine", "phone"] { #expect(try end(home) == "2040-02-14T00:00:00Z", "\(home)") }
    }
}
