import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineTestSupport

@Suite(.hangLimit) struct RedirectTests {
    private func fetch(
        _ url: URL, validators: HTTPValidators? = nil, transport: any HTTPTransport = DefaultTransport.patient
    ) async throws(HTTPFetchError) -> HTTPFetcher.Outcome {
        try await HTTPFetcher(transport: transport).fetch(
            url, validators: validators, limits: HTTPLimits(size: 1_000, seconds: 60), now: Date())
    }

    private func failure(_ url: URL, transport: any HTTPTransport = DefaultTransport.patient) async -> HTTPFetchError? {
        do {
            Issue.record("it was answered: \(try await fetch(url, transport: transport))")
            return nil
        } catch {
            return error
        }
    }

    /// Redirects to the path with the next lower number, until 0.
    private static func chain(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
        guard let left = Int(request.path.dropFirst()), left > 0 else { return .reply(body: Data("end".utf8)) }
        return .reply(302, headers: ["Location": "/\(left - 1)"])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed with the conditional headers of the request`(status: Int) async throws {
        let other = try await LoopbackServer(.reply(body: Data("elsewhere".utf8)))
        let server = try await LoopbackServer(
            .reply(
                status, headers: ["Location": other.url.appending(path: "x").absoluteString],
                body: Data("<html>over there</html>".utf8)))
        let outcome = try await fetch(server.url, validators: HTTPValidators(etag: "\"1\""))

        #expect(
            outcome
                == .fetched(HTTPCopy(body: Data("elsewhere".utf8), url: other.url.appending(path: "x"))))
        #expect((server.requests + other.requests).map(\.method) == ["GET", "GET"])
        #expect(other.requests.map { $0.headers["if-none-match"] } == ["\"1\""])
    }

    /// Lengths of the body of the redirect: more bytes than the limit, and a body that never arrives.
    @Test(arguments: [2_000, 0])
    func `the body of a redirect response is not read`(count: Int) async throws {
        let other = try await LoopbackServer(.reply(body: Data("elsewhere".utf8)))
        let head = Data("HTTP/1.1 302 Found\r\nLocation: \(other.url)\r\n\r\n".utf8)
        let server = try await LoopbackServer(
            .bytes(head + Data(count: count), then: count > 0 ? .close : .silence))

        #expect(try await fetch(server.url) == .fetched(HTTPCopy(body: Data("elsewhere".utf8), url: other.url)))
    }

    @Test(
        arguments: [
            ("/c", "/c"), ("c", "/a/c"), ("../c", "/c"), ("?c=d", "/a/b?c=d"), ("./c?d#e", "/a/c?d"),
            ("%2Fc", "/a/%2Fc"),
        ])
    func `a relative redirect address is resolved against the address of the request`(location: String, path: String)
        async throws
    {
        let server = try await LoopbackServer(.reply(302, headers: ["Location": location]), .reply())
        _ = try await fetch(server.url.appending(path: "a/b"))

        #expect(server.requests.map(\.path) == ["/a/b", path])
    }

    @Test func `five redirects are followed, and no more`() async throws {
        let server = try await LoopbackServer { Self.chain($0) }

        #expect(
            try await fetch(server.url.appending(path: "5"))
                == .fetched(HTTPCopy(body: Data("end".utf8), url: server.url.appending(path: "0"))))
        #expect(server.requests.count == 6)
        let error = await failure(server.url.appending(path: "6"))
        #expect(error?.code == .redirect)
        #expect(error?.reason == "there are more than 5 redirects, the last to \(server.url)0")
        #expect(server.requests.count == 12)
    }

    @Test func `a redirect loop ends with an error`() async throws {
        let server = try await LoopbackServer(.reply(301, headers: ["Location": "/"]))
        let error = await failure(server.url)

        #expect(error?.code == .redirect)
        #expect(error?.reason == "there are more than 5 redirects, the last to \(server.url)")
        #expect(server.requests.count == 6)
    }

    @Test(
        arguments: [
            ([:], .redirect), (["Location": ""], .redirect), (["Location": "http://[::1"], .redirect),
            (["Location": "http://example.com/"], .addressRefused), (["Location": "ftp://localhost/"], .addressRefused),
            (["Location": "file:///etc/hostname"], .addressRefused), (["Location": "data:,x"], .addressRefused),
            (["Location": "http://name:word@localhost/"], .addressRefused), (["Location": "http:"], .addressRefused),
            (["Location": "//"], .addressRefused), (["Location": "http:///x"], .addressRefused),
        ] as [([String: String], HTTPFetchError.Code)])
    func `a redirect with a missing, invalid or refused address is not followed`(
        headers: [String: String], code: HTTPFetchError.Code
    ) async throws {
        let server = try await LoopbackServer(.reply(302, headers: headers))
        let error = await failure(server.url)

        #expect(error?.code == code)
        #expect(error?.reason.isEmpty == false)
        #expect(server.requests.count == 1)
    }

    @Test func `a redirect from https to http is refused, even to an address that is otherwise allowed`() async throws {
        let plain = try await LoopbackServer(.reply(body: Data("read by anybody".utf8)))
        let server = try await LoopbackServer(.redirect(to: plain.url))
        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        components.scheme = "https"
        let error = await failure(try #require(components.url), transport: UnwrappedTransport())

        #expect(error?.code == .redirect)
        #expect(error?.reason == "the server redirects from https to \(plain.url)")
        #expect(server.requests.count == 1)
        #expect(plain.requests.isEmpty)
    }
}
