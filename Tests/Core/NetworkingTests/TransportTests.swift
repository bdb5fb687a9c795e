import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct TransportTests {
    private func send(
        _ method: HTTPRequest.Method = .get, to url: URL, path: String = "", body: String = "",
        headers: HTTPFields = [:], sizeLimit: Int = 1_000, transport: DefaultTransport = DefaultTransport.patient
    ) async throws -> HTTPReply {
        try await transport.send(
            HTTPRequest(method: method, url: url.appending(path: path), headerFields: headers),
            body: Data(body.utf8), limits: HTTPLimits(size: sizeLimit, seconds: 60))
    }

    private func code(_ body: () async throws -> HTTPReply) async -> HTTPTransportError.Code? {
        do {
            let reply = try await body()
            Issue.record("there is a reply with \(reply.body.count) bytes, status \(reply.response.status)")
            return nil
        } catch {
            return (error as? HTTPTransportError)?.code
        }
    }

    @Test func `an HTTP request and its reply are transmitted unchanged`() async throws {
        let server = try await LoopbackServer(.reply(201, headers: ["X-Answer": "yes"], body: Data("done".utf8)))
        let reply = try await send(
            .post, to: server.url, path: "verify", body: "{}", headers: [.contentType: "application/json"])

        #expect(reply.response.status == 201)
        #expect(reply.response.headerFields[try #require(HTTPField.Name("X-Answer"))] == "yes")
        #expect(String(decoding: reply.body, as: UTF8.self) == "done")
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.path == "/verify")
        #expect(request.headers["content-type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == "{}")
    }

    @Test(arguments: [200, 204, 304, 400, 401, 404, 429, 500, 503])
    func `a reply with any HTTP status is returned without an error`(status: Int) async throws {
        let body = status == 204 || status == 304 ? "" : "why"
        let server = try await LoopbackServer(
            .reply(status, headers: ["WWW-Authenticate": "Basic realm=\"x\""], body: Data(body.utf8)))
        let reply = try await send(to: server.url)

        #expect(reply.response.status.code == status)
        #expect(String(decoding: reply.body, as: UTF8.self) == body)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `the transport returns a redirect response and does not follow it`(status: Int) async throws {
        let other = try await LoopbackServer(.reply(body: Data("elsewhere".utf8)))
        let server = try await LoopbackServer(.redirect(to: other.url, status: status))
        let reply = try await send(.post, to: server.url, body: "secret")

        #expect(reply.response.status.code == status)
        #expect(reply.response.headerFields[.location] == other.url.absoluteString)
        #expect(reply.body.isEmpty)
        #expect(other.requests.isEmpty)
    }

    @Test func `cookies and cached responses are not retained between requests`() async throws {
        let server = try await LoopbackServer(
            .reply(headers: ["Set-Cookie": "id=1", "Cache-Control": "max-age=3600", "ETag": "\"1\""]))
        let transport = DefaultTransport.patient
        for _ in 0..<2 { _ = try await send(to: server.url, transport: transport) }

        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["if-none-match"] == nil })
    }

    @Test func `concurrent requests each receive their own reply`() async throws {
        let server = try await LoopbackServer { .reply(body: $0.body) }
        let transport = DefaultTransport.patient
        let replies = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let reply = try? await send(.post, to: server.url, body: "\(number)", transport: transport)
                    return reply?.body == Data("\(number)".utf8)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies == Array(repeating: true, count: 50))
    }

    // MARK: Limits

    @Test func `a reply body of exactly the size limit is read, and a larger body is refused`() async throws {
        let server = try await LoopbackServer(.reply(body: Data(repeating: 0, count: 1_000)))

        #expect(try await send(to: server.url, sizeLimit: 1_000).body.count == 1_000)
        #expect(await code { try await send(to: server.url, sizeLimit: 999) } == .tooLarge)
    }

    @Test(
        arguments: [
            ("of unknown length", LoopbackServer.Answer.endless()),
            ("that claims its length", .endless(claimed: 1 << 40)),
        ]
    )
    func `an endless reply body is aborted at the size limit`(name: String, answer: LoopbackServer.Answer) async throws
    {
        let server = try await LoopbackServer(answer)
        #expect(await code { try await send(to: server.url, sizeLimit: 100_000) } == .tooLarge)
    }

    @Test func `cancelling a task ends its HTTP request`() async throws {
        let server = try await LoopbackServer(.silence)
        let task = Task { await code { try await send(to: server.url) } }
        await server.arrival()
        task.cancel()

        #expect(await task.value == .cancelled)
    }

    // MARK: Addresses

    @Test(
        arguments: [
            "http://example.com/", "http://127.0.0.1.example.com/", "http://192.168.0.1/", "ftp://localhost/",
            "file:///etc/hostname", "http://localhost.example.com/", "http://127.0.0.2/",
        ]
    )
    func `plain HTTP to a remote host, and schemes other than HTTP and HTTPS, are refused`(address: String) async throws
    {
        let url = try #require(URL(string: address))
        #expect(await code { try await send(to: url) } == .invalidRequest)
    }

    @Test(arguments: ["name:word@example.com", "name@127.0.0.1", ""])
    func `an HTTP address with credentials or without a host is refused`(authority: String) async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        #expect(
            await code {
                try await DefaultTransport.patient.send(request, body: Data(), limits: HTTPLimits(size: 9, seconds: 60))
            }
                == .invalidRequest)
    }

    @Test(arguments: [PlainHTTP.everywhere, .hosts(["NOBODY.invalid"])])
    func `plain HTTP to an allowed host is accepted, and other schemes are still refused`(plainHTTP: PlainHTTP)
        async throws
    {
        let url = try #require(URL(string: "HTTP://Nobody.invalid/"))
        let transport = DefaultTransport(plainHTTP: plainHTTP)

        #expect(await code { try await send(to: url, transport: transport) } != .invalidRequest)
        let file = try #require(URL(string: "ftp://nobody.invalid/"))
        #expect(await code { try await send(to: file, transport: transport) } == .invalidRequest)
    }

    @Test(arguments: ["http://example.com/", "http://sub.nobody.invalid/", "http://nobody.invalid.example.com/"])
    func `plain HTTP is refused for hosts and subdomains that are not on the allow list`(address: String) async throws {
        let url = try #require(URL(string: address))
        let transport = DefaultTransport(plainHTTP: .hosts(["nobody.invalid", "localhost"]))

        #expect(await code { try await send(to: url, transport: transport) } == .invalidRequest)
    }

    @Test func `plain HTTP to the host name localhost is accepted regardless of case`() async throws {
        let server = try await LoopbackServer(.reply())
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "http://LOCALHOST:\(port)/"))

        #expect(try await send(to: url).response.status == .ok)
    }
}
