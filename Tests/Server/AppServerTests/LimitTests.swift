import Foundation
import Testing
import VitrineAppServerAPI
import VitrineHTTPServing
import VitrineTestSupport

@testable import VitrineAppServer

/// Limits for the number of requests.
@Suite(.hangLimit) struct LimitTests {
    private static let debit = Data(#"{"token":"a","amount":1}"#.utf8)

    @Test func `a device above its write limit gets 429 with Retry-After, and other devices are not affected`()
        async throws
    {
        try await ServedApps.run(configure: { configuration, _ in
            configuration.limits.writes = RequestRate(count: 3, seconds: 6)
        }) { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            let path = "/v1/me/wallets/coins/debits"
            for _ in 0..<3 {
                #expect(try await server.client.send("POST", path, phone.headers, body: Self.debit).status == 409)
            }
            let refused = try await server.client.send("POST", path, phone.headers, body: Self.debit)
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "2")
            #expect(try refused.errorResponse.code == "too-many")
            #expect(try refused.errorResponse.retryable)
            // Reading is not limited, and neither is another device.
            #expect(try await server.client.send("GET", "/v1/me/state", phone.headers).status == 200)
            #expect(try await server.client.send("POST", path, tablet.headers, body: Self.debit).status == 409)

            server.clock.advance(by: 2)
            #expect(try await server.client.send("POST", path, phone.headers, body: Self.debit).status == 409)
            #expect(try await server.client.send("POST", path, phone.headers, body: Self.debit).status == 429)
        }
    }

    @Test func `enrollment requests from one address are limited to the configured number an hour`() async throws {
        try await ServedApps.run(configure: { configuration, _ in configuration.limits.enrollments.count = 60 }) {
            server in
            for _ in 0..<60 {
                #expect(try await server.client.send("POST", "/v1/devices", body: Data("{}".utf8)).status == 400)
            }
            let refused = try await server.client.send("POST", "/v1/devices", body: Data("{}".utf8))
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "60")
            server.clock.advance(by: 60)
            #expect(try await server.client.send("POST", "/v1/devices", body: Data("{}".utf8)).status == 400)
        }
    }

    @Test func `the bytes of documents that arrive are limited by address, not those that a request announces`()
        async throws
    {
        try await ServedApps.run { configuration, _ in
            configuration.limits.documents = RequestRate(count: (4 << 20) + 3, seconds: 86_400)
        } _: { server in
            let device = try await server.enroll()
            // Without a length, a request may have a document of the greatest size.
            let headers = [("Connection", "close"), ("Transfer-Encoding", "chunked")] + device.headers
            let request = HTTPLine.head("PUT", "/v1/me/documents/none", headers) + Data("3\r\nabc\r\n0\r\n\r\n".utf8)
            for status in [400, 400, 429] { #expect(try await server.client.send(raw: request).status == status) }
            // There is room for a small document.
            let small = try await server.client.send(
                "PUT", "/v1/me/documents/none", device.headers, body: Data("abc".utf8))
            #expect(small.status == 400)
        }
    }

    @Test func `a checked request leaves the allowance of its sender as it was`() throws {
        let clock = TestClock()
        let limits = RequestLimits(RequestRate(count: 5, seconds: 10)) { clock.now }
        for _ in 0..<2 { try limits.check("a", units: 5) }
        try limits.count("a", units: 1)
        #expect(throws: ErrorResponse.self) { try limits.check("a", units: 5) }
        try limits.check("a", units: 4)
        clock.advance(by: 2)
        try limits.check("a", units: 5)
    }

    struct Forwarding: Sendable, CustomTestStringConvertible {
        let id: String
        let proxies: Int
        let first: String
        let second: String
        /// `true` if both requests come from one address.
        let isSame: Bool

        var testDescription: String { id }
    }

    @Test(arguments: [
        Forwarding(
            id: "without a proxy, the field is not trusted", proxies: 0, first: "192.0.2.1",
            second: "192.0.2.2", isSame: true),
        Forwarding(
            id: "two clients of a proxy", proxies: 1, first: "192.0.2.1", second: "192.0.2.2", isSame: false),
        Forwarding(
            id: "a client that names others", proxies: 1, first: "198.51.100.1, 192.0.2.1",
            second: "198.51.100.2, 192.0.2.1", isSame: true),
        Forwarding(
            id: "two addresses of one network", proxies: 1, first: "2001:db8::1", second: "2001:db8::2",
            isSame: true),
        Forwarding(
            id: "two networks", proxies: 1, first: "2001:db8::1", second: "2001:db8:0:1::1", isSame: false),
        Forwarding(
            id: "two addresses of IPv4 in IPv6", proxies: 1, first: "::ffff:192.0.2.1",
            second: "::ffff:192.0.2.2", isSame: false),
        Forwarding(
            id: "an address in both forms", proxies: 1, first: "::ffff:192.0.2.1", second: "192.0.2.1",
            isSame: true),
        Forwarding(
            id: "two connections of a client, whose proxy names ports", proxies: 1, first: "192.0.2.1:40001",
            second: "192.0.2.1:40002", isSame: true),
        Forwarding(
            id: "two clients, whose proxy names ports", proxies: 1, first: "192.0.2.1:40001",
            second: "192.0.2.2:40001", isSame: false),
        Forwarding(
            id: "an address of IPv6 with a port, and another one of its network", proxies: 1,
            first: "[2001:db8::1]:40001", second: "2001:db8::2", isSame: true),
        Forwarding(
            id: "two networks, whose proxy names ports", proxies: 1, first: "[2001:db8::1]:40001",
            second: "[2001:db8:0:1::1]:40001", isSame: false),
        Forwarding(
            id: "two clients of two proxies", proxies: 2, first: "192.0.2.1, 203.0.113.9",
            second: "192.0.2.2, 203.0.113.9", isSame: false),
        Forwarding(
            id: "a client of two proxies that names others", proxies: 2, first: "198.51.100.1, 192.0.2.1, 203.0.113.9",
            second: "198.51.100.2, 192.0.2.1, 203.0.113.9", isSame: true),
        Forwarding(
            id: "two clients that reach the second proxy themselves", proxies: 2, first: "192.0.2.1",
            second: "192.0.2.2", isSame: false),
    ])
    func `requests are limited by client address, which X-Forwarded-For determines only behind a proxy`(
        _ forwarding: Forwarding
    ) async throws {
        try await ServedApps.run { configuration, _ in
            configuration.proxies = forwarding.proxies
            configuration.limits.enrollments = RequestRate(count: 1, seconds: 60)
        } _: { server in
            for (address, status) in [(forwarding.first, 400), (forwarding.second, forwarding.isSame ? 429 : 400)] {
                let answer = try await server.client.send(
                    "POST", "/v1/devices", [("X-Forwarded-For", address)], body: Data("{}".utf8))
                #expect(answer.status == status)
            }
        }
    }

    /// 3 characters of 60 KB.
    private static let longName = "17a" + String(repeating: "\u{301}", count: 30_000)

    @Test func `a long name in a request is stored as a digest, so that names of any length use little memory`() throws
    {
        let clock = TestClock()
        let limits = RequestLimits(RequestRate(count: 1, seconds: 60)) { clock.now }
        let names = (0..<100).map { "token \(Self.longName)\($0)" }
        #expect(names.reduce(0) { $0 + RequestLimits.stored($1).utf8.count } <= 100 * 160)
        // Long names remain different names.
        for name in names { try limits.count(name) }
        for name in names { #expect(throws: ErrorResponse.self) { try limits.count(name) } }
        #expect(RequestLimits.stored("192.0.2.1") == "192.0.2.1")
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1", longName, String(repeating: "a", count: 1_000)])
    func `the name of a client's network has few bytes, whatever text a client sends as its address`(_ text: String) {
        // A character that is cut off becomes the replacement character, which has 3 bytes.
        #expect(NetworkName.of(text).utf8.count <= 66)
    }

    @Test func `a request limit refills with time up to its size, and does not refill when the clock goes back`() throws
    {
        let clock = TestClock()
        let limits = RequestLimits(RequestRate(count: 2, seconds: 4)) { clock.now }
        try limits.count("a")
        try limits.count("a")
        #expect(throws: ErrorResponse.self) { try limits.count("a") }
        clock.advance(by: -100)
        #expect(throws: ErrorResponse.self) { try limits.count("a") }
        clock.advance(by: 1_000)
        try limits.count("a")
        try limits.count("a")
        #expect(throws: ErrorResponse.self) { try limits.count("a") }
    }
}
