import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineStoreSimulator
import VitrineTestSupport

/// Connections that are used in unusual ways.
@Suite(.hangLimit) struct HostileConnectionTests {
    @Test func `pipelined requests are answered in order, whether they succeed or fail`() async throws {
        try await HostileStore.unharmed { store in
            let path = "/inApps/v1/transactions"
            let body = #"{"appAccountToken": 7}"#
            let kinds: [(request: String, expected: Int)] = [
                (store.request("GET", "\(path)/\(store.coins)", keepsAlive: true), 200),
                (store.request("GET", "\(path)/abc", keepsAlive: true), 4_000_006),
                (store.request("GET", "/inApps/v1/lookup/M000000000", keepsAlive: true), 200),
                (store.request("DELETE", "\(path)/\(store.coins)", keepsAlive: true), 405),
                (
                    store.request(
                        "PUT", "\(path)/\(store.coins)/appAccountToken", "Content-Length: \(body.utf8.count)",
                        body: body, keepsAlive: true), 4_000_183
                ),
                (store.request("GET", "/x", keepsAlive: true), 404),
                (
                    store.request("GET", "\(path)/\(store.silver)", keepsAlive: true)
                        .replacing("Bearer", with: "Basic"), 401
                ),
                (store.request("GET", "/inApps/v2/history/\(ServedStore.unknown)", keepsAlive: true), 4_040_010),
            ]
            var generator = SeededGenerator(seed: 3)
            let chosen = (0..<200).compactMap { _ in kinds.randomElement(using: &generator) }
            let exchange = try await store.raw.send(chosen.map(\.request).joined(), answers: chosen.count)
            #expect(exchange.answers.map(\.verdict) == chosen.map(\.expected))
            #expect(exchange.rest.isEmpty)
        }
    }

    @Test func `a client that closes its sending side after the last request still receives the responses`()
        async throws
    {
        try await HostileStore.unharmed { store in
            let request = store.request("GET", "/inApps/v2/history/\(store.coins)", keepsAlive: true)
            for count in [1, 3] {
                let text = String(repeating: request, count: count)
                let exchange = try await store.raw.send(text, isHalfClosed: true)
                #expect(exchange.answers.map(\.status) == [Int](repeating: 200, count: count))
            }
            for text in ["", "G", "GET / HT", String(request.dropLast(2))] {
                let exchange = try await store.raw.send(text, isHalfClosed: true)
                #expect(exchange.answers.allSatisfy { $0.status == 400 }, "\(text)")
            }
        }
    }

    @Test func `a client that does not read its responses does not affect other clients`() async throws {
        try await HostileStore.unharmed { store in
            let request = store.request("GET", "/inApps/v2/history/\(store.coins)", keepsAlive: true)
            let many = Data(String(repeating: request, count: 500).utf8)
            for _ in 0..<5 {
                let exchange = try await store.raw.send([many], answers: 1)
                #expect(exchange.answers.first?.status == 200)
            }
        }
    }

    @Test func `random bytes, alone or after a valid request, lead to an error response or a closed connection`()
        async throws
    {
        try await HostileStore.unharmed { store in
            let good = Data(store.request("GET", "/inApps/v2/history/\(store.coins)", keepsAlive: true).utf8)
            for seed in 0..<40 as Range<UInt64> {
                let noise = Data.random(Int(seed) * 97 + 1, seed: seed)
                let alone = try await store.raw.send([noise], isHalfClosed: true)
                #expect(alone.answers.allSatisfy { $0.status == 400 })
                let behind = try await store.raw.send([good, noise], isHalfClosed: true)
                #expect(behind.answers.first?.status == 200)
                #expect(behind.answers.dropFirst().allSatisfy { $0.status == 400 })
            }
        }
    }

    @Test func `a valid request with one altered byte is answered or refused, without a server error`() async throws {
        try await HostileStore.unharmed { store in
            let good = Data(store.request("GET", "/inApps/v2/history/\(store.coins)?sort=ASCENDING").utf8)
            var generator = SeededGenerator(seed: 4)
            for place in good.indices where place.isMultiple(of: 3) || place < 80 {
                var altered = good
                altered[place] ^= UInt8.random(in: 1...255, using: &generator)
                // Without an end of the head, the server would wait for it.
                let exchange = try await store.raw.send([altered], isHalfClosed: true)
                let statuses = exchange.answers.map(\.status)
                #expect(statuses.allSatisfy { [200, 400, 401, 404, 405].contains($0) }, "byte \(place): \(statuses)")
            }
        }
    }
}
