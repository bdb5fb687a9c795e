import Foundation
import Testing
import VitrineTestSupport

/// Subscriptions whose renewal fails, and whose customer then turns the renewal off.
@Suite(.blocksThreads, .hangLimit) struct StoreCancellationCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.club()
        try tool.succeed("store", "set", "grace", "on")
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "set", "billing", "fail", "club.silver")
    }

    @Test func `a subscription in its grace period ends when its renewal is turned off`() throws {
        try tool.succeed("store", "advance", "P1M")
        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        try tool.succeed("load")

        #expect(try tool.eventKinds() == ["purchased", "grace-period", "renewal-off", "expired"])
        #expect(try tool.run("owned", "club.silver").status == 1)
        #expect(
            try tool.run("subscriptions").output
                == "club.silver: ended on 2040-02-15 00:00 UTC: the customer canceled it\n")
        #expect(try tool.run("store", "set", "billing", "recover", "club.silver").status == 1)
        #expect(try tool.eventKinds("ahead", "club.silver") == [])
    }

    @Test func `a subscription in billing retry ends when its renewal is turned off`() throws {
        try tool.succeed("store", "advance", "P2M")
        try tool.succeed("store", "set", "renewal", "off", "club.silver")

        #expect(
            try tool.eventKinds() == ["purchased", "grace-period", "billing-retry", "renewal-off", "expired"])
        #expect(try tool.run("store", "set", "billing", "recover", "club.silver").status == 1)
        #expect(try tool.eventKinds("ahead", "club.silver") == [])
    }
}
