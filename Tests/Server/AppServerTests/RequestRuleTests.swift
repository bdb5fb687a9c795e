import Foundation
import Testing
import VitrineAppServerAPI
import VitrineTestSupport

/// Rules of HTTP that hold for each request.
@Suite(.hangLimit) struct RequestRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let head: String
        let status: Int

        var testDescription: String { id }
    }

    static let hosts = [
        Case(id: "HTTP/1.1 with a host", head: "HTTP/1.1\r\nHost: a\r\n", status: 200),
        Case(id: "HTTP/1.1 without a host", head: "HTTP/1.1\r\n", status: 400),
        Case(id: "HTTP/1.1 with an empty host", head: "HTTP/1.1\r\nHost:\r\n", status: 400),
        Case(id: "HTTP/1.1 with two hosts", head: "HTTP/1.1\r\nHost: a\r\nHost: a\r\n", status: 400),
        Case(id: "HTTP/1.0 with a host", head: "HTTP/1.0\r\nHost: a\r\n", status: 200),
        Case(id: "HTTP/1.0 without a host, as balancers of load ask", head: "HTTP/1.0\r\n", status: 200),
        Case(id: "HTTP/1.0 with two hosts", head: "HTTP/1.0\r\nHost: a\r\nHost: b\r\n", status: 400),
    ]

    @Test func `a request of HTTP/1.1 must have exactly one host`() async throws {
        try await ServedApps.run { server in
            for test in Self.hosts {
                let answer = try await server.client.send(
                    raw: Data("GET /v1/challenge \(test.head)Connection: close\r\n\r\n".utf8))
                #expect(answer.status == test.status, "\(test)")
                guard test.status == 400 else { continue }
                #expect(
                    try answer.errorResponse.message == "A request must have exactly one header field Host.", "\(test)")
            }
        }
    }

    static let absolute = [
        Case(id: "an absolute form", head: "http://a/v1/challenge HTTP/1.1\r\nHost: a\r\n", status: 200),
        Case(id: "capital letters and a port", head: "HTTPS://a:443/v1/challenge HTTP/1.1\r\nHost: a\r\n", status: 200),
        Case(id: "another host in the field", head: "http://a/v1/challenge HTTP/1.1\r\nHost: b\r\n", status: 200),
        Case(id: "HTTP/1.0 without the field", head: "http://a/v1/challenge HTTP/1.0\r\n", status: 200),
        Case(id: "no path", head: "http://a HTTP/1.1\r\nHost: a\r\n", status: 404),
        Case(id: "no path and a query", head: "http://a?x=1 HTTP/1.1\r\nHost: a\r\n", status: 404),
        Case(id: "HTTP/1.1 without the field", head: "http://a/v1/challenge HTTP/1.1\r\n", status: 400),
        Case(id: "two fields", head: "http://a/v1/challenge HTTP/1.1\r\nHost: a\r\nHost: a\r\n", status: 400),
        Case(id: "a user", head: "http://b@a/v1/challenge HTTP/1.1\r\nHost: a\r\n", status: 400),
        Case(id: "no host", head: "http:///v1/challenge HTTP/1.1\r\nHost: a\r\n", status: 400),
        Case(id: "the form of OPTIONS", head: "* HTTP/1.1\r\nHost: a\r\n", status: 400),
    ]

    @Test func `a target in absolute form is accepted, and its host counts instead of the header field`() async throws {
        try await ServedApps.run { server in
            for test in Self.absolute {
                let answer = try await server.client.send(
                    raw: Data("GET \(test.head)Connection: close\r\n\r\n".utf8))
                #expect(answer.status == test.status, "\(test)")
            }
            for (host, field, status) in [
                ("a.example", "localhost", 421), ("localhost", "a.example", 200),
                ("localhost@a.example", "localhost", 400), ("localhost:x@a.example", "localhost", 400),
                ("[::1]@a.example", "localhost", 400),
            ] {
                let answer = try await server.operators.send(
                    raw: Data(
                        "GET http://\(host)/operator HTTP/1.1\r\nHost: \(field)\r\nConnection: close\r\n\r\n".utf8))
                #expect(answer.status == status, "\(host)")
            }
        }
    }

    // MARK: Ends of connections

    /// Versions and header fields of requests after which the connection ends.
    static let last = [
        "HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n", "HTTP/1.1\r\nHost: a\r\nConnection: TE, close\r\n",
        "HTTP/1.1\r\nHost: a\r\nConnection: TE\r\nConnection: close\r\n", "HTTP/1.0\r\n",
        "HTTP/1.0\r\nConnection: keep-alive\r\n",
    ]

    @Test(arguments: last) func `the connection ends after a request of HTTP/1.0, or with the option close`(
        _ head: String
    ) async throws {
        try await ServedApps.run { server in
            // The answer ends with the connection.
            let answer = try await server.client.send(raw: Data("GET /v1/key \(head)\r\n".utf8))
            #expect(answer.status == 200)
            #expect(answer.text.hasSuffix("}"))
        }
    }

    @Test func `a stream of events has no chunks in HTTP/1.0, also after a request of HTTP/1.1`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let token = "Authorization: Bearer \(device.enrollment.token.token)"
            try await server.client.connect { stream in
                try await stream.write(
                    HTTPLine.head("GET", "/v1/key", [])
                        + Data("GET /v1/me/events HTTP/1.0\r\n\(token)\r\n\r\n".utf8))
                #expect(try await stream.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
                _ = try await stream.read(until: "}")
                let head = try await stream.read(until: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.0 200 "))
                #expect(!head.lowercased().contains("transfer-encoding"))
                #expect(try await stream.read(until: "\n\n").hasPrefix("id: "))
                await server.shutDown()
                #expect(try await String(decoding: stream.readAll(), as: UTF8.self) == ": end\n\n")
            }
        }
    }

    static let malformed: [(id: String, request: String, reason: String)] = [
        ("an unknown version", "GET /v1/challenge HTTP/1.2\r\nHost: a\r\n\r\n", "invalid HTTP version"),
        ("an unknown method", "BREW /v1/challenge HTTP/1.1\r\nHost: a\r\n\r\n", "invalid HTTP method"),
        (
            "a field without a colon", "GET /v1/challenge HTTP/1.1\r\nHost: a\r\nabc\r\n\r\n",
            "invalid character in header"
        ),
    ]

    @Test func `a malformed request is refused with the reason, also after another request`() async throws {
        try await ServedApps.run { server in
            for (id, request, reason) in Self.malformed {
                let answer = try await server.client.send(raw: Data(request.utf8))
                #expect(answer.status == 400, "\(id)")
                #expect(answer.text == "The request is malformed: \(reason).\n", "\(id)")
            }
            let both = try await server.client.send(
                raw: HTTPLine.head("GET", "/v1/challenge", []) + Data("BREW / HTTP/1.1\r\n\r\n".utf8))
            #expect(both.status == 200)
            #expect(both.text.hasSuffix("The request is malformed: invalid HTTP method.\n"))
        }
    }

    private static let waiting = [("Expect", "100-continue")]

    @Test func `a client that waits with the body of its request gets the status 100, also after another request`()
        async throws
    {
        try await ServedApps.run { server in
            try await server.client.connect { connection in
                for _ in 0..<2 {
                    let body = try JSONEncoder().encode(try await server.enrollment())
                    try await connection.write(
                        HTTPLine.head("GET", "/v1/challenge", [])
                            + HTTPLine.head("POST", "/v1/devices", Self.waiting, length: body.count))
                    #expect(try await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
                    _ = try await connection.read(until: "}")
                    #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                    try await connection.write(body)
                    let head = try await connection.read(until: "\r\n\r\n")
                    #expect(head.hasPrefix("HTTP/1.1 201 "))
                    #expect(!head.contains("Connection: close"))
                    _ = try await connection.read(until: "}}")
                }
            }
        }
    }

    static let refused = [
        Case(id: "without a token", head: "POST /v1/me/signed HTTP/1.1\r\nContent-Length: 5\r\n", status: 401),
        Case(id: "to an unknown path", head: "POST /v1/unknown HTTP/1.1\r\nContent-Length: 5\r\n", status: 404),
        Case(
            id: "with too large a body", head: "POST /v1/devices HTTP/1.1\r\nContent-Length: 999999999\r\n",
            status: 413),
    ]

    @Test func `a refused request gets no status 100 for its body, and its connection ends`() async throws {
        try await ServedApps.run { server in
            for test in Self.refused {
                // The answer ends with the connection.
                let answer = try await server.client.send(
                    raw: Data("\(test.head)Host: a\r\nExpect: 100-continue\r\n\r\n".utf8))
                #expect(answer.status == test.status, "\(test)")
                #expect(answer.fields["connection"] == "close", "\(test)")
            }
            let old = try await server.client.send(
                raw: Data(
                    "POST /v1/devices HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                        .utf8))
            #expect(old.status == 400)
        }
    }
}
