import Foundation
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Refund requests, for which the store asks the app's server for a consumption report.
@Suite(.blocksThreads, .hangLimit) struct StoreRefundRequestTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    @Test func `a refund request asks the app's server for consumption data and can be declined or granted`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply())
        try tool.setWebhook(receiver)
        let server = try StoreServerProcess(tool)
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("store", "request-refund", "1", "--reason", "unintended-purchase").output
                == "requested the refund of transaction 1\n")
        try tool.succeed("store", "advance", "1m")
        #expect(try tool.succeed("store", "request-refund").lines.last?.hasSuffix("not reported") == true)
        try sendConsumption(of: "1", to: server)
        let row = try #require(try tool.succeed("store", "request-refund").lines.last)
        #expect(
            row.replacing(#/ +/#, with: " ")
                == "1 club.silver 2040-01-15 00:00:00 UTC unintended-purchase reported")
        let requests = try tool.succeed("store", "request-refund", "--json").json["requests"] as? [[String: Any]]
        let consumption = requests?.first?["consumption"] as? [String: Any]
        #expect(consumption?["refundPreference"] as? String == "DECLINE")

        try tool.succeed("store", "decline-refund", "1")
        #expect(try tool.succeed("store", "request-refund").output == "no refund is requested\n")
        try tool.succeed("store", "request-refund", "1")
        try tool.succeed("store", "refund", "1")
        try tool.succeed("store", "advance", "1m")
        #expect(
            try await tool.notifications(of: receiver).map(\.type.rawValue) == [
                "SUBSCRIBED", "DID_CHANGE_RENEWAL_STATUS", "CONSUMPTION_REQUEST", "REFUND_DECLINED",
                "CONSUMPTION_REQUEST", "REFUND",
            ])
        #expect(
            try tool.eventKinds() == [
                "purchased", "refund-requested", "renewal-off", "refund-declined", "refund-requested", "refunded",
            ])
        #expect(try tool.run("owned", "club.silver").status == 1)
        for arguments in [["request-refund", "1"], ["request-refund", "9"], ["decline-refund", "1"]] {
            #expect(try tool.run(["store"] + arguments).status == 1, "\(arguments)")
        }
        #expect(try tool.run("store", "request-refund", "--reason", "legal").status == 64)
        #expect(server.end().status == 0)
    }

    /// Sends a consumption report as the app's server.
    private func sendConsumption(of transaction: String, to server: StoreServerProcess) throws {
        let token = try tool.makeServerKey().token(for: "com.example.club", at: Date())
        let body = """
            {"customerConsented": true, "sampleContentProvided": false, "deliveryStatus": "DELIVERED", \
            "refundPreference": "DECLINE"}
            """
        let connection = try RawConnection(to: server.url)
        try connection.send(
            """
            PUT /inApps/v2/transactions/consumption/\(transaction) HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        #expect(try connection.receive(until: "\r\n") == "HTTP/1.1 202 Accepted\r\n")
    }
}
