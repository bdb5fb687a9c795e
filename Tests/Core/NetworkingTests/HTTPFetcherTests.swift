import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineTestSupport

@Suite(.hangLimit) struct HTTPFetcherTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    private func fetch(
        _ url: URL, validators: HTTPValidators? = nil, sizeLimit: Int = 1_000,
        transport: any HTTPTransport = DefaultTransport.patient
    ) async throws(HTTPFetchError) -> HTTPFetcher.Outcome {
        try await HTTPFetcher(transport: transport).fetch(
            url, validators: validators, limits: HTTPLimits(size: sizeLimit, seconds: 60), now: now)
    }

    private func failure(_ body: () async throws(HTTPFetchError) -> HTTPFetcher.Outcome) async -> HTTPFetchError? {
        do {
            Issue.record("it was answered: \(try await body())")
            return nil
        } catch {
            return error
        }
    }

    // MARK: Replies

    @Test func `a fetch returns the body, media type and validators of the response`() async throws {
        let server = try await LoopbackServer(
            .reply(
                headers: [
                    "Content-Type": "Application/XML; charset=utf-8", "ETag": "W/\"12\"",
                    "Last-Modified": "Sun, 22 Nov 2026 03:00:00 GMT",
                ], body: Data("<plist/>".utf8)))
        let url = server.url.appending(path: "catalog.plist")
        let validators = HTTPValidators(etag: "W/\"12\"", lastModified: "Sun, 22 Nov 2026 03:00:00 GMT")

        #expect(
            try await fetch(url)
                == .fetched(
                    HTTPCopy(
                        body: Data("<plist/>".utf8), validators: validators, mediaType: "application/xml", url: url)))
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/catalog.plist")
        #expect(request.headers["if-none-match"] == nil)
        #expect(request.headers["if-modified-since"] == nil)
    }

    @Test func `a fetch returns no validators for a response without ETag and Last-Modified`() async throws {
        let server = try await LoopbackServer(.reply())

        #expect(try await fetch(server.url) == .fetched(HTTPCopy(body: Data(), url: server.url)))
    }

    @Test(
        arguments: [
            HTTPValidators(etag: "\"1\""),
            HTTPValidators(lastModified: "Sun, 22 Nov 2026 03:00:00 GMT", date: "Sun, 22 Nov 2026 04:00:00 GMT"),
            HTTPValidators(
                etag: "W/\"1\"", lastModified: "Sun, 22 Nov 2026 03:00:00 GMT", date: "Sun, 22 Nov 2026 03:01:00 GMT"),
        ])
    func `a conditional request sends the validators, and status 304 is reported as not modified`(
        validators: HTTPValidators
    ) async throws {
        let server = try await LoopbackServer(.reply(304))

        #expect(try await fetch(server.url, validators: validators) == .notModified)
        let request = try #require(server.requests.first)
        #expect(request.headers["if-none-match"] == validators.etag)
        #expect(request.headers["if-modified-since"] == validators.lastModified)
    }

    @Test(
        arguments: [
            ("in the future", "Tue, 01 Jan 2030 00:00:00 GMT", "Sun, 22 Nov 2026 03:00:00 GMT"),
            ("of the reply's own second", "Sun, 22 Nov 2026 03:00:00 GMT", "Sun, 22 Nov 2026 03:00:00 GMT"),
            ("of the minute before the reply", "Sun, 22 Nov 2026 03:00:00 GMT", "Sun, 22 Nov 2026 03:00:59 GMT"),
            ("in a reply without a date", "Sun, 22 Nov 2026 03:00:00 GMT", nil),
            ("in a reply with another date", "Sun, 22 Nov 2026 03:00:00 GMT", "now"),
            ("in another form", "2026-11-22", "Sun, 22 Nov 2026 04:00:00 GMT"),
        ] as [(String, String, String?)])
    func `a Last-Modified date that does not identify one version of a file is not sent back`(
        id: String, modified: String, date: String?
    ) async throws {
        let server = try await LoopbackServer(
            .reply(headers: ["Last-Modified": modified].merging(date.map { ["Date": $0] } ?? [:]) { $1 }))
        guard case .fetched(let copy) = try await fetch(server.url) else {
            throw HTTPFetchError(code: .timeout, reason: "")
        }
        _ = try await fetch(server.url, validators: copy.validators)

        #expect(copy.validators.lastModified == modified)
        #expect(server.requests.map { $0.headers["if-modified-since"] } == [nil, nil])
    }

    @Test(arguments: [nil, HTTPValidators(), HTTPValidators(etag: ""), HTTPValidators(etag: "\"\r\nX: 1\"")])
    func `status 304 is an error if the request was not conditional`(validators: HTTPValidators?) async throws {
        let server = try await LoopbackServer(.reply(304))
        let error = await failure { () async throws(HTTPFetchError) in
            try await fetch(server.url, validators: validators)
        }

        #expect(error?.code == .status(304))
        #expect(
            error?.reason == "the server answered that its content is unchanged (304), but was not asked for changes")
        #expect(server.requests.count == 1)
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil && $0.headers["x"] == nil })
    }

    @Test(arguments: [(1_022, true), (1_023, false)])
    func `a validator of more than 1 KiB is discarded`(length: Int, isKept: Bool) async throws {
        let etag = "\"\(String(repeating: "a", count: length))\""
        let server = try await LoopbackServer(.reply(headers: ["ETag": etag, "Last-Modified": etag]))
        guard case .fetched(let copy) = try await fetch(server.url) else {
            throw HTTPFetchError(code: .timeout, reason: "")
        }

        #expect((copy.validators.etag != nil) == (length + 2 <= 1_024))
        #expect((copy.validators.lastModified != nil) == isKept)
    }

    @Test(arguments: [201, 204, 206, 300, 305, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 999])
    func `an unexpected HTTP status is an error with that status`(status: Int) async throws {
        let server = try await LoopbackServer(
            .reply(status, headers: ["Location": "/other"], body: Data("<html>".utf8)))
        let error = await failure { () async throws(HTTPFetchError) in try await fetch(server.url) }

        #expect(error?.code == .status(status))
        #expect(error?.reason == "the server answered with the status \(status)")
        #expect(error?.retryAfter == nil)
        #expect(server.requests.count == 1)
    }

    @Test(
        arguments: [
            ("120", 120), ("Mon, 21 Sep 2026 14:14:20 GMT", 60), ("86400", 3_600), ("soon", nil),
        ] as [(String, TimeInterval?)])
    func `the Retry-After header of a 429 or 503 response is included in the error`(
        value: String, seconds: TimeInterval?
    ) async throws {
        for status in [429, 503] {
            let server = try await LoopbackServer(.reply(status, headers: ["Retry-After": value]))
            let error = await failure { () async throws(HTTPFetchError) in try await fetch(server.url) }

            #expect(error?.code == .status(status))
            #expect(error?.retryAfter == seconds)
        }
    }

    // MARK: Failures

    @Test func `unreachable servers, oversized bodies and timeouts have distinct error codes`() async throws {
        let dead = try DeadAddress()
        let broken = try await LoopbackServer(.broken(after: 1, of: 2))
        let endless = try await LoopbackServer(.endless())
        let silent = try await LoopbackServer(.silence)
        let sleep = ManualSleep()
        sleep.wake()
        let impatient = DefaultTransport(sleep: { try await sleep.sleep($0) })

        #expect(await failure { () async throws(HTTPFetchError) in try await fetch(dead.url) }?.code == .unreachable)
        #expect(await failure { () async throws(HTTPFetchError) in try await fetch(broken.url) }?.code == .unreachable)
        #expect(await failure { () async throws(HTTPFetchError) in try await fetch(endless.url) }?.code == .tooLarge)
        #expect(
            await failure { () async throws(HTTPFetchError) in try await fetch(silent.url, transport: impatient) }?.code
                == .timeout)
    }

    @Test func `a fetch whose task is cancelled fails with the error code cancelled`() async throws {
        let server = try await LoopbackServer(.silence)
        let task = Task { await failure { () async throws(HTTPFetchError) in try await fetch(server.url) } }
        await server.arrival()
        task.cancel()

        #expect(await task.value?.code == .cancelled)
    }

    @Test(
        arguments: [
            "http://example.com/", "ftp://localhost/", "file:///etc/hostname", "mailto:a@example.com", "data:,x",
            "catalog.plist", "/catalog.plist", "//localhost/", "http:", "http://", "https:///x", "?", "https://a@/",
            "http://name@localhost/", "https://name:word@localhost/", "https://:word@localhost/",
        ])
    func `an HTTP address that is invalid, insecure or contains credentials is refused`(address: String) async throws {
        let url = try #require(URL(string: address))

        #expect(
            await failure { () async throws(HTTPFetchError) in try await fetch(url) }?.code == .addressRefused)
    }
}
