import Foundation
import Testing
import VitrineTestSupport

/// Commands on a device whose clock is two months ahead of the store's. Each command is a new process.
@Suite(.blocksThreads, .hangLimit) struct DeviceClockTests {
    private static let ahead = ["--device-clock", "2040-03-15"]
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    private func owns(_ product: String, _ options: [String] = []) throws -> Bool {
        try tool.run(["owned", product] + options).status == 0
    }

    @Test func `a subscription bought with a clock that is ahead is owned, also when the clock is put right`()
        throws
    {
        let bought = try tool.run(["buy", "club.silver"] + Self.ahead)
        #expect(bought.status == 0, "\(bought.output)\(bought.errors)")
        for _ in 1...2 { #expect(try owns("club.silver", Self.ahead)) }
        #expect(try tool.run(["check"] + Self.ahead).status == 0)
        let why = try tool.run(["why", "club.silver"] + Self.ahead)
        #expect(why.output.hasPrefix("club.silver is owned:\n"))
        #expect(try owns("club.silver"))
    }

    @Test func `a subscription bought with a clock that is ahead ends with its period`() throws {
        try tool.run(["buy", "club.silver"] + Self.ahead)
        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        #expect(try owns("club.silver", Self.ahead))
        try tool.succeed("store", "set", "offline", "on")
        #expect(try owns("club.silver", ["--device-clock", "2040-04-14"]))
        #expect(try !owns("club.silver", ["--device-clock", "2040-04-16"]))
        // Set back by a month, and to the day of the purchase.
        for clock in ["2040-03-16", "2040-01-16"] {
            #expect(try !owns("club.silver", ["--device-clock", clock]), "\(clock)")
        }
    }
}
