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

    @Test func `access remains until the end of the grace period if the renewal is turned off in it`() throws {
        try tool.succeed("store", "advance", "P1M")
        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        try tool.succeed("load")

        #expect(
            try tool.succeed("subscriptions").output
                == "club.silver: in grace period until 2040-03-02 00:00 UTC: the store could not charge the customer, "
                + "and the subscription does not renew\n")
        #expect(try tool.succeed("history").output.contains("has ended") == false)
        #expect(
            try tool.succeed("store", "set", "billing", "recover", "club.silver").output
                == "the customer can be charged for renewals of club.silver\n")
        #expect(try tool.eventKinds("ahead", "club.silver") == ["expired"])
        try tool.succeed("store", "advance", "16d")
        try tool.succeed("load")

        #expect(try tool.run("owned", "club.silver").status == 1)
        #expect(
            try tool.run("subscriptions").output
                == "club.silver: ended on 2040-02-15 00:00 UTC: the customer canceled it\n")
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
