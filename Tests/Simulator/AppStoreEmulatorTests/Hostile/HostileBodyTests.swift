import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineStoreSimulator
import VitrineTestSupport

/// Bodies that are too large or too deeply nested, arrive slowly or not at all, or have duplicate fields.
@Suite(.hangLimit) struct HostileBodyTests {
    private static let token = "00000000-0000-4000-8000-00000000000e"

    private static func request(_ store: HostileStore, _ fields: String...) -> Data {
        let path = "/inApps/v1/transactions/\(store.coins)/appAccountToken"
        return Data(store.request("PUT", path, fields.joined(separator: "\r\n")).utf8)
    }

    private static func chunk(_ data: Data) -> Data {
        Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    @Test func `a request body above the size limit is refused, with or without a declared length`()
        async throws
    {
        try await HostileStore.unharmed { store in
            let part = Data(repeating: UInt8(ascii: " "), count: 1 << 16)
            let parts = [Data](repeating: part, count: 160)
            let length = parts.count * part.count
            let answered = try await store.raw.send([Self.request(store, "Content-Length: \(length)")] + parts)
            #expect(answered.answers.map(\.verdict) == [4_000_000])
            let chunks =
                [Self.request(store, "Transfer-Encoding: chunked")] + parts.map(Self.chunk) + [Data("0\r\n\r\n".utf8)]
            #expect(try await store.raw.send(chunks).answers.map(\.verdict) == [4_000_000])

            // The server does not wait for what is much too large.
            let enormous = try await store.raw.send([Self.request(store, "Content-Length: 9999999999")])
            #expect(enormous.answers.map(\.verdict) == [4_000_000])
            let endless =
                [Self.request(store, "Transfer-Encoding: chunked")] + [Data](repeating: Self.chunk(part), count: 300)
            #expect(try await store.raw.send(endless).answers.map(\.verdict) == [4_000_000])
        }
    }

    @Test func `deeply nested JSON in a request body is refused with an error code, at any depth`() async throws {
        try await HostileStore.unharmed { store in
            for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
                for levels in [63, 64, 65, 512, 513, 5_000, 10_000, 100_000] {
                    let deep = String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
                    let body = Data(#"{"appAccountToken": \#(deep)}"#.utf8)
                    let answer = try await store.raw.send([Self.request(store, "Content-Length: \(body.count)"), body])
                    let verdict = try #require(answer.answers.first).verdict
                    #expect([4_000_000, 4_000_183].contains(verdict), "\(levels) levels of \(open)")
                    let unfinished = Data(String(repeating: open, count: levels).utf8)
                    let half = try await store.raw.send(
                        [Self.request(store, "Content-Length: \(unfinished.count)"), unfinished])
                    #expect(half.answers.map(\.verdict) == [4_000_000], "\(levels) levels of \(open), unfinished")
                }
            }
        }
    }

    @Test func `a request that arrives one byte at a time is answered`() async throws {
        try await HostileStore.unharmed { store in
            let body = Data(#"{"appAccountToken": "abc"}"#.utf8)
            let bytes = Self.request(store, "Content-Length: \(body.count)") + body
            let exchange = try await store.raw.send(bytes.map { Data([$0]) })
            #expect(exchange.answers.map(\.verdict) == [4_000_183])
            let chunks = [Self.request(store, "Transfer-Encoding: chunked")] + body.map { Self.chunk(Data([$0])) }
            let chunked = try await store.raw.send(chunks + [Data("0\r\n\r\n".utf8)])
            #expect(chunked.answers.map(\.verdict) == [4_000_183])
        }
    }

    @Test func `a request with a stalled body is refused after a timeout, while other requests are answered`()
        async throws
    {
        var options = AppStoreEmulatorOptions()
        options.bodyTime = .milliseconds(200)
        try await ServedStore.run(options: options) { served in
            let store = try await HostileStore(served)
            let state = try await store.state()
            let finish = "/inApps/v1/transactions/\(store.coins)/finish"
            let starts = [
                Self.request(store, "Content-Length: 20") + Data(#"{"appAcc"#.utf8),
                Self.request(store, "Transfer-Encoding: chunked") + Data("14\r\n{".utf8),
                Self.request(store, "Transfer-Encoding: chunked"),
                Data(store.request("POST", finish, "Content-Length: 1", keepsAlive: true).utf8),
                Data("POST /ocsp HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\n".utf8),
            ]
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for start in starts { group.addTask { try await store.raw.send([start]).answers.map(\.verdict) } }
                for try await verdicts in group {
                    #expect(verdicts == [4_000_000])
                    #expect(try await store.state() == state)
                }
            }
            #expect(try await served.store.transactions().allSatisfy { !$0.isFinished })
        }
    }

    @Test func `a client that disconnects in the middle of a request body leaves the store unchanged`() async throws {
        try await HostileStore.unharmed { store in
            for start in [#"{"appAccountToken": "\#(Self.token)""#, "{", ""] {
                let request = Self.request(store, "Content-Length: 200") + Data(start.utf8)
                let exchange = try await store.raw.send([request], isHalfClosed: true)
                #expect(exchange.answers.allSatisfy { $0.status == 400 })
                _ = try await store.raw.send([request], answers: 0)
            }
        }
    }

    @Test func `the first value of a repeated JSON field applies, and unknown fields are ignored`() async throws {
        try await ServedStore.run { served in
            let store = try await HostileStore(served)
            let good = #""appAccountToken": "\#(Self.token)""#
            let cases: [(id: String, body: String, expected: Int)] = [
                ("a wrong value second", #"{\#(good), "appAccountToken": 7}"#, 200),
                ("a wrong value first", #"{"appAccountToken": 7, \#(good)}"#, 4_000_183),
                ("null first", #"{"appAccountToken": null, \#(good)}"#, 4_000_183),
                ("the name with escapes", #"{"app\u0041ccountToken": "\#(Self.token)"}"#, 200),
                ("the value with escapes", #"{"appAccountToken": "\u0030\#(Self.token.dropFirst())"}"#, 200),
                ("the name in another case", #"{"AppAccountToken": "\#(Self.token)"}"#, 4_000_183),
                ("an empty name", #"{"": 1, \#(good)}"#, 200), ("blanks", " \r\n\t{ \(good) \n } ", 200),
                ("unknown fields", #"{\#(good), "color": {"a": [1, 2.5, null]}, "\u0000": true}"#, 200),
                ("10,000 fields", "{\((0..<5_000).map { #""\#($0)": 1"# }.joined(separator: ",")), \(good)}", 200),
                ("a large number beside it", #"{\#(good), "x": \#(String(repeating: "9", count: 300))}"#, 200),
                (
                    "an infinite number beside it", #"{\#(good), "x": \#(String(repeating: "9", count: 400))}"#,
                    4_000_000
                ),
            ]
            for entry in cases {
                let body = Data(entry.body.utf8)
                let exchange = try await store.raw.send([Self.request(store, "Content-Length: \(body.count)"), body])
                #expect(exchange.answers.map(\.verdict) == [entry.expected], "\(entry.id)")
            }
        }
    }
}
