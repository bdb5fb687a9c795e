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
@Suite(.blocksThreads, .hangLimit) struct LyingDeviceRouteTests {
    /// Where the attacked server runs.
    enum Host: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case thisProcess = "in the process of the test"
        case ownProcess = "in a process of its own"

        var testDescription: String { rawValue }

        /// Serves without a limit of writes.
        func serve(_ body: (ServedApps) async throws -> Void) async throws {
            switch self {
            case .thisProcess:
                try await ServedApps.run(configure: { configuration, _ in configuration.limits = .unlimited }, body)
            case .ownProcess:
                let process = try await AttackedProcess(limits: ["writesPerSecond": 1_000_000])
                try await process.serve { server, _ in try await body(server) }
            }
        }
    }

    private func expectRefusal(_ answer: HTTPLine.Answer) throws {
        #expect(answer.status == 400, "\(answer.text)")
        let refusal = try answer.errorResponse
        #expect(refusal.code == "rejected" && !refusal.retryable)
        #expect(refusal.message.contains("ntry 1 of the document, a debit, is refused: "))
    }

    @Test(arguments: Host.allCases)
    func `a customer spends each unit once, whatever documents say about the server's debits`(_ host: Host)
        async throws
    {
        try await host.serve { server in
            let device = try await server.buyer()
            let now = server.clock.now
            // A debit of the server stands, whatever date a document gives for another one of its token.
            let records = [
                (25, Date(timeIntervalSince1970: 1), 204), (1, now - 1, 204), (25, now - 3_600, 204),
                (1 << 50, now, 400), (25, now + 86_400, 204),
            ]
            var statuses: [Int] = []
            for (number, (amount, moment, status)) in records.enumerated() {
                let token = "order-\(number)"
                statuses.append(try await server.debit(25, as: token, from: device).status)
                let answer = try await server.publish(
                    [(.spent(amount, token: token), moment)], as: "liar-000\(number)", from: device)
                #expect(answer.status == status, "\(answer.text)")
                guard status == 400 else { continue }
                try expectRefusal(answer)
            }
            let early = try await server.publish(
                [(.spent(25, token: "early"), Date(timeIntervalSince1970: 1))], as: "liar-0009", from: device)
            try expectRefusal(early)
            #expect(statuses == [201, 201, 409, 409, 409])
            #expect(try await server.coins(of: device) == 0)
        }
    }

    @Test(arguments: Host.allCases)
    func `the server answers further requests after documents and reports with the largest numbers`(_ host: Host)
        async throws
    {
        try await host.serve { server in
            let device = try await server.buyer()
            let now = server.clock.now
            let end = now + 3_600
            let key = "\(device.enrollment.device) T1"
            let lease = Fact.Lease(token: key, wallet: "coins", amount: 1, expirationDate: end)
            let refused: [Fact] = [
                .lease(lease), .spent(.max, token: "f"), .spent(.min, token: "f"), .deposited(.min, token: "f"),
            ]
            for (number, fact) in refused.enumerated() {
                let answer = try await server.publish([(fact, now)], as: "liar-000\(number)", from: device)
                #expect(answer.status == 400, "\(answer.text)")
            }
            let report = try await server.client.send(
                "PUT", "/v1/me/leases/T1", device.headers, body: Data(#"{"debits":[]}"#.utf8))
            #expect(report.status == 404)
            for amount in [Int.max, .min, 1 << 62] {
                #expect(try await server.debit(amount, as: "f", from: device).status >= 400)
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
            #expect(try await server.coins(of: device) == 50)
            #expect(try await server.debit(20, as: "order", from: device).status == 201)
        }
    }
}
