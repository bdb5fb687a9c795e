import Foundation
import HTTPTypes
import Synchronization
import VitrineAppServerRecords
import VitrineNetworking

/// Clients that each spend one unit per request, with a new idempotency token, and repeat requests without a response.
final class Writers: Sendable {
    struct Client: Sendable {
        let number: Int
        let customer: String
        let token: String
    }

    /// Idempotency tokens of debits, by the state of their requests.
    struct Tokens: Sendable {
        /// Tokens that were sent at least once.
        var sent: Set<String> = []
        /// Tokens whose debits a server has confirmed as recorded.
        var acknowledged: Set<String> = []
        var refusals: [String] = []
    }

    private let tokens = Mutex(Tokens())
    /// Number of acknowledgements for which a test waits.
    private let awaited = Mutex<(count: Int, continuation: CheckedContinuation<Void, Never>)?>(nil)
    private let isOver = Mutex(false)
    private let transport = DefaultTransport()
    /// Function that returns the address of a server, and waits while no server runs.
    private let server: @Sendable (Int) async -> URL

    init(server: @escaping @Sendable (Int) async -> URL) { self.server = server }

    var known: Tokens { tokens.withLock { $0 } }

    func stop() { isOver.withLock { $0 = true } }

    /// Lets all clients send requests until ``stop()`` is called.
    func run(_ clients: [Client]) async {
        await withTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask { await self.run(client) }
            }
        }
    }

    private func run(_ client: Client) async {
        var number = 0
        while !isOver.withLock({ $0 }) {
            number += 1
            let token = "\(client.number)-\(number)"
            _ = tokens.withLock { $0.sent.insert(token) }
            var attempt = client.number
            while !isOver.withLock({ $0 }) {
                let answer = await spend(token, client, at: await server(attempt))
                attempt += 1
                switch answer {
                case 200, 201: acknowledge(token)
                case nil, 429, 503: continue
                case let status?: tokens.withLock { $0.refusals.append("\(token): \(status)") }
                }
                break
            }
        }
    }

    private func acknowledge(_ token: String) {
        let count = tokens.withLock { tokens in
            tokens.acknowledged.insert(token)
            return tokens.acknowledged.count
        }
        let done = awaited.withLock { awaited in
            guard let present = awaited, count >= present.count else { return nil as CheckedContinuation<Void, Never>? }
            awaited = nil
            return present.continuation
        }
        done?.resume()
    }

    /// Waits until servers have confirmed a number of further debits.
    func acknowledged(_ more: Int) async {
        let count = known.acknowledged.count + more
        await withCheckedContinuation { continuation in
            awaited.withLock { $0 = (count, continuation) }
        }
    }

    /// Sends a debit.
    ///
    /// - Returns: The status of the answer; `nil` without an answer.
    private func spend(_ token: String, _ client: Client, at url: URL) async -> Int? {
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:\(url.port ?? 0)",
            path: "/v1/me/wallets/coins/debits")
        request.headerFields[.authorization] = "Bearer \(client.token)"
        request.headerFields[.contentType] = "application/json"
        do {
            let reply = try await transport.send(
                request, body: Data(#"{"token":"\#(token)","amount":1}"#.utf8),
                limits: HTTPLimits(size: 64 * 1024, seconds: 60))
            return reply.response.status.code
        } catch {
            return nil
        }
    }
}

/// Addresses of running servers. Clients wait while no server runs.
actor RunningServers {
    private var urls: [URL] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func set(_ urls: [URL]) {
        self.urls = urls
        guard !urls.isEmpty else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func url(for number: Int) async -> URL {
        while urls.isEmpty { await withCheckedContinuation { waiting.append($0) } }
        return urls[number % urls.count]
    }
}
