import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineTestSupport

@testable import VitrineAppServer

/// Requests of a device whose documents contradict what the server has decided, or have numbers without a meaning.
@Suite(.hangLimit) struct LyingDeviceRouteTests {
    private struct CustomerState: Decodable {
        let wallets: [String: Int]
    }

    /// Serves without a limit of writes.
    private static func run(_ body: (ServedApps) async throws -> Void) async throws {
        try await ServedApps.run(
            configure: { configuration, _ in configuration.limits = .unlimited }, body)
    }

    private func coins(_ server: ServedApps, _ device: ServedApps.Device) async throws -> Int? {
        try await server.client.send("GET", "/v1/me/state", device.headers).decode(CustomerState.self).wallets["coins"]
    }

    /// Enrolls a device, and buys fifty coins with it.
    private func enroll(_ server: ServedApps) async throws -> ServedApps.Device {
        let device = try await server.enroll()
        try await server.report([try await server.buy("com.example.voyager.coins50")], from: device)
        #expect(try await coins(server, device) == 50)
        return device
    }

    /// Sends a document with facts at their moments, sealed with the customer's key.
    private func publish(
        _ facts: [(Fact, Date)], as name: String, from device: ServedApps.Device, to server: ServedApps
    ) async throws -> HTTPLine.Answer {
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(sequence: Int64(index + 1), recordedAt: fact.1, fact: fact.0)
        }
        let document = DeviceDocument(
            device: name, name: "liar", first: 1, last: Int64(facts.count), entries: entries)
        let content = try document.data(sealedWith: LedgerSealKey(device.enrollment.key))
        let path = "/v1/me/documents/\(DocumentName(of: document, content).text)"
        return try await server.client.send("PUT", path, device.headers, body: content)
    }

    private func debit(
        _ amount: Int, as token: String, from device: ServedApps.Device, at server: ServedApps
    ) async throws -> HTTPLine.Answer {
        let body = #"{"token":"\#(token)","amount":\#(amount)}"#
        return try await server.client.send(
            "POST", "/v1/me/wallets/coins/debits", device.headers, body: Data(body.utf8))
    }

    @Test func `a customer spends each unit once, whatever documents say about the server's debits`() async throws {
        try await Self.run { server in
            let device = try await enroll(server)
            let now = server.clock.now
            let records = [
                (25, Date(timeIntervalSince1970: 1), 400), (1, now - 1, 204), (25, now - 3_600, 204),
                (1 << 50, now, 400), (25, now + 86_400, 204),
            ]
            var statuses: [Int] = []
            for (number, (amount, moment, status)) in records.enumerated() {
                let token = "order-\(number)"
                statuses.append(try await debit(25, as: token, from: device, at: server).status)
                let answer = try await publish(
                    [(.spent(amount, token: token), moment)], as: "liar-000\(number)", from: device, to: server)
                #expect(answer.status == status, "\(answer.text)")
                guard status == 400 else { continue }
                let refusal = try answer.errorResponse
                #expect(refusal.code == "rejected" && !refusal.retryable)
                #expect(refusal.message.contains("ntry 1 of the document, a debit, is refused: "))
            }
            #expect(statuses == [201, 201, 409, 409, 409])
            #expect(try await coins(server, device) == 0)
        }
    }

    @Test func `the server answers further requests after documents and reports with the largest numbers`()
        async throws
    {
        try await Self.run { server in
            let device = try await enroll(server)
            let now = server.clock.now
            let end = now + 3_600
            let key = "\(device.enrollment.device) T1"
            let lease = Fact.Lease(token: key, wallet: "coins", amount: 1, expirationDate: end)
            let refused: [Fact] = [
                .lease(lease), .spent(.max, token: "f"), .spent(.min, token: "f"), .deposited(.min, token: "f"),
            ]
            for (number, fact) in refused.enumerated() {
                let answer = try await publish([(fact, now)], as: "liar-000\(number)", from: device, to: server)
                #expect(answer.status == 400, "\(answer.text)")
            }
            let report = try await server.client.send(
                "PUT", "/v1/me/leases/T1", device.headers, body: Data(#"{"debits":[]}"#.utf8))
            #expect(report.status == 404)
            for amount in [Int.max, .min, 1 << 62] {
                #expect(try await debit(amount, as: "f", from: device, at: server).status >= 400)
                let body = #"{"token":"T\#(amount)","amount":\#(amount),"seconds":60}"#
                let lease = try await server.client.send(
                    "POST", "/v1/me/wallets/coins/leases", device.headers, body: Data(body.utf8))
                #expect((400..<500).contains(lease.status), "\(lease.text)")
            }
            let granted = try await server.client.send(
                "POST", "/v1/me/wallets/coins/leases", device.headers,
                body: Data(#"{"token":"T1","amount":30,"seconds":60}"#.utf8))
            #expect(granted.status == 200)
            for spent in [Int64.max, .min, now.milliseconds] {
                let debits = #"{"debits":[{"token":"d","amount":\#(Int.max),"spent":\#(spent)}]}"#
                let report = try await server.client.send(
                    "PUT", "/v1/me/leases/T1", device.headers, body: Data(debits.utf8))
                #expect((400..<500).contains(report.status), "\(report.text)")
            }
            #expect(try await coins(server, device) == 50)
            #expect(try await debit(20, as: "order", from: device, at: server).status == 201)
        }
    }
}
