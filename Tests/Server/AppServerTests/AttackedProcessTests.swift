import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Requests of strangers and thieves to `vitrine-server` in a process of its own, with the default limits.
@Suite(.blocksThreads, .hangLimit) struct AttackedProcessTests {
    private static let lisbon = "com.example.voyager.lisbon"

    /// Enrolls another device than the customer's, without an app transaction.
    private func enrollStranger(at server: ServedApps, accountToken: String?) async throws -> ServedApps.Device {
        let key = P256.Signing.PrivateKey()
        let body = try await server.enrollment(
            key: key, of: try server.store.device("stranger"), accountToken: accountToken)
        return ServedApps.Device(
            key: key,
            enrollment: try await server.client.send("POST", "/v1/devices", json: body).decode(Enrollment.self)
        )
    }

    /// Has a stranger report signed transactions, and checks that the stranger gets nothing.
    private func steal(_ transactions: [String], at server: ServedApps, accountToken: String?) async throws -> String {
        let stranger = try await enrollStranger(at: server, accountToken: accountToken)
        let answer = try await server.report(transactions, from: stranger).decode(SignedResults.self)
        #expect(answer.results.allSatisfy { $0.result != .accepted && $0.result != .known })
        let state = try await server.state(of: stranger)
        #expect(state.owned.isEmpty && state.wallets.values.allSatisfy { $0 == 0 })
        #expect(try await server.debit(1, as: "stolen", from: stranger).status == 409)
        return state.customer
    }

    @Test(arguments: [false, true], [false, true])
    func `a stranger with a customer's signed transactions gets nothing, and the customer's new phone gets in`(
        hasLogin: Bool, isEnrolledBefore: Bool
    ) async throws {
        let process = try await AttackedProcess(hasLogin: hasLogin)
        let (login, theft) = (try process.token(of: "anna"), try process.token(of: "thief"))
        try await process.serve { server, _ in
            var owner = isEnrolledBefore ? try await server.enroll(accountToken: login) : nil
            let transactions = [try await server.buy("com.example.voyager.coins50"), try await server.buy(Self.lisbon)]
            var strangers = [try await steal(transactions, at: server, accountToken: theft)]
            if owner == nil { owner = try await server.enroll(accountToken: login) }
            let phone = try #require(owner)
            try await server.report(transactions, from: phone)
            strangers.append(try await steal(transactions, at: server, accountToken: theft))
            #expect(!strangers.contains(phone.enrollment.customer))

            let new = try await server.enroll(accountToken: login)
            for device in [phone, new] {
                let state = try await server.state(of: device)
                #expect(state.customer == phone.enrollment.customer)
                #expect(state.owned.map(\.product) == [Self.lisbon])
                #expect(state.wallets["coins"] == 50)
            }
            guard hasLogin else { return }
            // Who has the app transaction too needs the login.
            let body = try await server.enrollment(appTransaction: server.store.appTransaction())
            #expect(try await server.client.send("POST", "/v1/devices", json: body).status == 403)
        }
    }

    /// Bodies of documents that are large, deep, or not what they claim to be.
    static let documents: [(id: String, body: Data)] = [
        ("a list of four million numbers", Data("{\"x\":[1\(String(repeating: ",1", count: 2_000_000))]}".utf8)),
        ("lists in lists", Data(String(repeating: "[", count: 4_000_000).utf8)),
        (
            "an object of half a million names",
            Data("{\((0..<300_000).map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
        ),
        ("a name of four megabytes", Data("{\"\(String(repeating: "a", count: 4_000_000))\":1}".utf8)),
        ("bytes that are no text", Data(repeating: 0xFF, count: 4_000_000)),
        ("more than the limit", Data(repeating: 0x20, count: 5_000_000)),
    ]

    @Test func `documents that are large or deep are refused, and the process takes little memory for them`()
        async throws
    {
        try await AttackedProcess().serve { server, process in
            let device = try await server.buyer()
            let before = try process.memory
            for (id, body) in Self.documents {
                // Several at once, as an attacker would send them.
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            try await server.client.send(
                                "PUT", "/v1/me/documents/\(number)", device.headers, body: body
                            ).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.allSatisfy { (400..<500).contains($0) }, "\(id): \(statuses)")
            }
            let added = try process.memory - before
            #expect(added < 200 << 10, "\(added) KiB")
            #expect(try await server.coins(of: device) == 50)
        }
    }

    @Test func `a device that opens streams without end has the permitted number, and other devices are answered`()
        async throws
    {
        try await AttackedProcess(limits: ["streamsPerAddress": 8]).serve { server, _ in
            let (greedy, other) = (try await server.buyer(), try await server.enroll())
            try await withThrowingTaskGroup(of: Void.self) { group throws in
                let (answers, answered) = AsyncStream<String>.makeStream()
                for _ in 0..<12 {
                    group.addTask {
                        try await server.client.connect { stream in
                            try await stream.write(HTTPLine.head("GET", "/v1/me/events", greedy.headers))
                            answered.yield((try? await stream.read(until: "\r\n\r\n")) ?? "")
                            // Ends when the server gives the place to a newer stream of the device, or with the task.
                            _ = try? await stream.readAll()
                        }
                    }
                }
                let heads = await answers.prefix(12).reduce(into: []) { $0.append($1) }
                #expect(heads.allSatisfy { $0.contains(" 200 ") || $0.contains(" 429 ") })
                #expect(heads.contains { $0.contains(" 200 ") })
                #expect(try await server.coins(of: other) == 50)
                #expect(try await server.debit(1, as: "order", from: other).status == 201)
                group.cancelAll()
            }
        }
    }

    /// Requests without a token, or with one that the server has not issued.
    static let strangers: [(id: String, request: String)] = [
        ("a state without a token", "GET /v1/me/state HTTP/1.1\r\nHost: a\r\n"),
        (
            "a debit with an invented token",
            "POST /v1/me/wallets/coins/debits HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n"
        ),
        ("a path with an encoded way up", "GET /v1/apps/%2e%2e/%2e%2e/content/x HTTP/1.1\r\nHost: a\r\n"),
        ("a path that is encoded wrongly", "GET /%zz HTTP/1.1\r\nHost: a\r\n"),
        ("a negative length", "POST /v1/devices HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n"),
        (
            "a length above every number",
            "POST /v1/devices HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n"
        ),
        ("two lengths", "POST /v1/devices HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n"),
        ("another protocol", "PRI * HTTP/2.0\r\n"),
        ("a line without an end", String(repeating: "A", count: 100_000)),
    ]

    @Test func `requests of strangers are refused with a client error or the end of the connection`() async throws {
        try await AttackedProcess().serve { server, _ in
            let device = try await server.buyer()
            for (id, request) in Self.strangers {
                let answer = try? await server.client.send(raw: Data((request + "Connection: close\r\n\r\n").utf8))
                // A connection that is ended without an answer has had no effect either.
                if let answer { #expect((400..<500).contains(answer.status), "\(id): \(answer.status)") }
            }
            #expect(try await server.coins(of: device) == 50)
        }
    }
}
