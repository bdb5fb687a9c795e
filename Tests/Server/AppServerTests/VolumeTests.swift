import Crypto
import Foundation
import HTTPTypes
import Logging
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Requests, streams, connections and documents that one address or one device can make.
@Suite(.hangLimit) struct VolumeTests {
    // MARK: Addresses

    struct Kind: Sendable, CustomTestStringConvertible {
        let id: String
        let method: String
        let path: String
        let body: String?

        var testDescription: String { id }
    }

    static let kinds = [
        Kind(id: "challenges", method: "GET", path: "/v1/challenge", body: nil),
        Kind(
            id: "renewals of tokens", method: "POST", path: "/v1/devices/me/token",
            body: #"{"device":"a","challenge":"b","signature":""}"#),
        Kind(
            id: "notifications", method: "POST", path: "/v1/apple/notifications/com.example.voyager",
            body: #"{"signedPayload":"a.b.c"}"#),
        Kind(
            id: "questions", method: "POST", path: "/v1/verify",
            body: #"{"bundleId":"com.example.voyager","signedTransaction":"a.b.c"}"#),
        Kind(id: "unknown paths", method: "GET", path: "/v1/nothing", body: nil),
        Kind(id: "addresses that are encoded wrongly", method: "GET", path: "/%zz", body: nil),
    ]

    @Test(arguments: kinds)
    func `requests without a token are limited for each address, and monitoring is not`(_ kind: Kind) async throws {
        try await ServedApps.run { configuration, _ in
            configuration.proxies = 1
            configuration.limits.requests = RequestRate(count: 3, seconds: 60)
        } _: { server in
            func send(from address: String) async throws -> HTTPLine.Answer {
                try await server.client.send(
                    kind.method, kind.path, [("X-Forwarded-For", address)], body: kind.body.map { Data($0.utf8) })
            }
            for _ in 0..<3 { #expect(try await send(from: "192.0.2.1").status != 429) }
            let refused = try await send(from: "192.0.2.1")
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "20")
            #expect(try await send(from: "192.0.2.2").status != 429)
            let health = try await server.client.send("GET", "/health/live", [("X-Forwarded-For", "192.0.2.1")])
            #expect(health.status == 200)
        }
    }

    @Test func `two hundred devices behind one address enroll within the default limits`() async throws {
        try await ServedApps.run { server in
            for _ in 0..<200 {
                let key = P256.Signing.PrivateKey()
                let answer = try await server.client.send(
                    "POST", "/v1/devices", json: try await server.enrollment(key: key))
                #expect(answer.status == 201)
            }
        }
    }

    @Test func `a warning reports that X-Forwarded-For is ignored, only if the server is not behind a proxy`()
        async throws
    {
        struct Health: Decodable {
            let warnings: [String]
        }
        for proxies in [0, 1] {
            let lines = Recorder<LogLine>()
            let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
            try await ServedApps.run(
                logger: logger,
                configure: { configuration, _ in
                    configuration.proxies = proxies
                }
            ) { server in
                for _ in 0..<2 {
                    _ = try await server.client.send("GET", "/v1/key", [("X-Forwarded-For", "192.0.2.1")])
                }
                let warnings = try await server.client.send("GET", "/health/ready").decode(Health.self).warnings
                #expect(warnings.contains { $0.contains("behindProxy") } == (proxies == 0))
            }
            #expect(lines.values.count { $0.level == .warning } == 1 - proxies)
        }
    }

    @Test func `one address has at most the configured number of connections`() async throws {
        try await ServedApps.run(configure: { configuration, _ in configuration.limits.connections = 2 }) { server in
            let request = HTTPLine.head("GET", "/v1/key", [])
            try await server.client.connect { first in
                try await first.write(request)
                _ = try await first.read(until: "200 OK")
                try await server.client.connect { second in
                    try await second.write(request)
                    _ = try await second.read(until: "200 OK")
                    let third = try await server.client.connect { connection in try await connection.readAll() }
                    #expect(third.isEmpty)
                }
            }
        }
    }

    @Test func `documents of one address are limited by their size, before they are read`() async throws {
        try await ServedApps.run { configuration, _ in
            configuration.limits.documents = RequestRate(count: 1_000, seconds: 1_000)
        } _: { server in
            let device = try await server.enroll()
            func store(_ size: Int) async throws -> HTTPLine.Answer {
                try await server.client.send(
                    "PUT", "/v1/me/documents/none", device.headers, body: Data(repeating: 0x20, count: size))
            }
            #expect(try await store(600).status == 400)
            let refused = try await store(600)
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "200")
            server.clock.advance(by: 200)
            #expect(try await store(600).status == 400)
        }
    }

    @Test func `a document that is announced and not sent uses nothing of what others behind the address need`()
        async throws
    {
        try await ServedApps.run { configuration, options in
            // One document of the maximum size, and a few bytes.
            configuration.limits.documents = RequestRate(count: (4 << 20) + 10, seconds: 86_400)
            options.bodyTime = .milliseconds(200)
        } _: { server in
            let device = try await server.enroll()
            let path = "/v1/me/documents/none"
            let late = try await server.client.send(
                raw: HTTPLine.head("PUT", path, device.headers, length: 4 << 20) + Data("a".utf8))
            #expect(late.status == 408)
            // A body without a length counts as the largest one until it has arrived.
            for _ in 0..<2 {
                let chunked = try await server.client.send(
                    raw: HTTPLine.head(
                        "PUT", path, device.headers + [("Transfer-Encoding", "chunked"), ("Connection", "close")])
                        + Data("1\r\n \r\n0\r\n\r\n".utf8))
                #expect(chunked.status == 400)
            }
        }
    }

    // MARK: Devices

    @Test func `reads of a device and renewals of its token are limited`() async throws {
        try await ServedApps.run { configuration, _ in
            configuration.limits.reads = RequestRate(count: 2, seconds: 10)
            configuration.limits.writes = RequestRate(count: 2, seconds: 10)
        } _: { server in
            let device = try await server.enroll()
            func read() async throws -> HTTPLine.Answer {
                try await server.client.send("GET", "/v1/me/state", device.headers)
            }
            for _ in 0..<2 { #expect(try await read().status == 200) }
            let refused = try await read()
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] == "5")

            let challenge = try await server.challenge()
            let message = DeviceProof.message("token \(device.enrollment.device)", challenge: challenge)
            let body = [
                "device": device.enrollment.device, "challenge": challenge,
                "signature": try device.key.signature(for: message).derRepresentation.base64EncodedString(),
            ]
            for _ in 0..<2 { _ = try await server.client.send("POST", "/v1/devices/me/token", json: body) }
            let renewal = try await server.client.send("POST", "/v1/devices/me/token", json: body)
            #expect(renewal.status == 429)
            #expect(renewal.fields["retry-after"] == "5")
        }
    }

    @Test func `a device renews its token while a stranger at another address tries to`() async throws {
        try await ServedApps.run { configuration, _ in
            configuration.proxies = 1
            configuration.limits.writes = RequestRate(count: 2, seconds: 10)
        } _: { server in
            let device = try await server.enroll()
            let (name, challenge) = (device.enrollment.device, try await server.challenge())
            let proof = try device.key.signature(for: DeviceProof.message("token \(name)", challenge: challenge))
            func renew(from address: String, _ signature: Data) async throws -> Int {
                try await server.client.send(
                    "POST", "/v1/devices/me/token", [("X-Forwarded-For", address)],
                    json: [
                        "device": name, "challenge": challenge, "signature": signature.base64EncodedString(),
                    ]
                ).status
            }
            for status in [401, 401, 429] { #expect(try await renew(from: "192.0.2.1", Data()) == status) }
            #expect(try await renew(from: "192.0.2.2", proof.derRepresentation) == 200)
        }
    }

    @Test func `a device that opens more event streams than it may have loses its oldest`() async throws {
        try await ServedApps.run(configure: { configuration, _ in configuration.limits.deviceStreams = 2 }) { server in
            let device = try await server.enroll()
            let request = HTTPLine.head("GET", "/v1/me/events", device.headers)
            try await server.client.connect { first in
                try await first.write(request)
                _ = try await first.read(until: "data: ")
                try await server.client.connect { second in
                    try await second.write(request)
                    _ = try await second.read(until: "data: ")
                    try await server.client.connect { third in
                        try await third.write(request)
                        _ = try await third.read(until: "data: ")
                    }
                }
                _ = try await first.read(until: ": end\n\n")
            }
        }
    }

    @Test func `an address has at most the configured number of event streams, and other requests are answered`()
        async throws
    {
        try await ServedApps.run(configure: { configuration, _ in configuration.limits.streams = 1 }) { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            try await server.client.connect { stream in
                try await stream.write(HTTPLine.head("GET", "/v1/me/events", phone.headers))
                _ = try await stream.read(until: "data: ")
                let refused = try await server.client.send("GET", "/v1/me/events", tablet.headers)
                #expect(refused.status == 429)
                #expect(refused.fields["retry-after"] == "25")
                #expect(try await server.client.send("GET", "/v1/me/state", tablet.headers).status == 200)
            }
        }
    }

    @Test func `all streams together are limited, and a stream that has ended makes room for another`() throws {
        let limits = StreamLimits(ServerLimits(), most: 2)
        let first = try limits.admit(device: "a", address: "1")
        _ = try limits.admit(device: "b", address: "2")
        #expect(throws: ErrorResponse.self) { try limits.admit(device: "c", address: "3") }
        limits.end(first)
        #expect(limits.count == 1)
        _ = try limits.admit(device: "c", address: "3")
    }

    // MARK: Malformed requests

    static let malformed: [(id: String, request: String)] = [
        ("an unknown transfer coding", "Transfer-Encoding: xchunked\r\n\r\nabc"),
        ("the size of a chunk that is too large", "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabc"),
        ("the size of a chunk that is no number", "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc"),
        ("two hosts", "Host: b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"),
    ]

    @Test(arguments: malformed.map { $0.id })
    func `a malformed request gets 400, and no line of the log at the level of errors`(_ id: String) async throws {
        let request = try #require(Self.malformed.first { $0.id == id }).request
        let lines = Recorder<LogLine>()
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        try await ServedApps.run(logger: logger) { server in
            let answer = try await server.client.send(
                raw: Data("POST /v1/devices HTTP/1.1\r\nHost: a\r\n\(request)".utf8))
            #expect(answer.status == 400)
            // The end of the server adds lines of its own.
            #expect(lines.values.filter { $0.level >= .error } == [])
        }
    }

    @Test func `a response with status 429 names the time after which a client may try again`() {
        let response = ErrorResponse(CustomerError(code: .tooMany, reason: "there are too many devices"))
        #expect(response.status == .tooManyRequests)
        #expect(response.headers[.retryAfter] == "3600")
    }
}

private struct LogLine: Equatable {
    let level: Logger.Level
    let message: String
}

private struct LineHandler: LogHandler {
    let lines: Recorder<LogLine>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.record(LogLine(level: event.level, message: "\(event.message) \(event.metadata ?? [:])"))
    }
}
