import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import VitrineHTTPServing
import VitrineSupport
import VitrineTestSupport

/// Reading of bodies and header fields.
@Suite(.hangLimit) struct RequestReadingTests {
    private static let discarded = 16 * 1024 * 1024

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// Value of the header field `Content-Length`.
        var length: String?
        /// Lengths of the parts in which the body arrives.
        var parts: [Int] = []
        /// Length of the body; `nil` if the body is refused.
        var read: Int?
        var refusal: BodyRefusal?

        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "no body", read: 0), Case(id: "a length of nothing", length: "0", read: 0),
        Case(id: "a body", length: "5", parts: [5], read: 5), Case(id: "several parts", parts: [1, 2, 3], read: 6),
        Case(id: "as many bytes as permitted", length: "100", parts: [60, 40], read: 100),
        Case(
            id: "a byte too much", length: "101", parts: [60, 41],
            refusal: .tooLarge(limit: 100, isRead: true)),
        Case(
            id: "many bytes without a length", parts: Array(repeating: 1 << 20, count: 16),
            refusal: .tooLarge(limit: 100, isRead: true)),
        Case(
            id: "more bytes than are read", parts: Array(repeating: 1 << 20, count: 17),
            refusal: .tooLarge(limit: 100, isRead: false)),
        Case(
            id: "the greatest length that is read", length: "\(100 + discarded)",
            parts: Array(repeating: 1 << 20, count: 16) + [100], refusal: .tooLarge(limit: 100, isRead: true)),
        Case(
            id: "a length that is not read", length: "\(101 + discarded)", parts: [1],
            refusal: .tooLarge(limit: 100, isRead: false)),
        Case(id: "a length that is no number", length: "5, 5", parts: [5], read: 5),
    ]

    private static func request(_ body: RequestBody, length: String? = nil) -> Request {
        var fields = HTTPFields()
        fields[.contentLength] = length
        return Request(
            head: HTTPRequest(method: .post, scheme: "http", authority: nil, path: "/", headerFields: fields),
            body: body
        )
    }

    @Test(arguments: cases) func `a request body is read up to its size limit, and a larger body is refused`(
        _ test: Case
    ) async throws {
        let (body, source) = RequestBody.makeStream()
        let request = Self.request(body, length: test.length)
        let counted = Locked(0)
        let sending = Task {
            for part in test.parts { await source.yield(ByteBuffer(repeating: 0x61, count: part)) }
            source.finish()
        }
        defer { sending.cancel() }
        do {
            let data = try await request.readBody(upTo: 100) { size in counted.withLock { $0 += size } }
            #expect(data.count == test.read)
            #expect(data.allSatisfy { $0 == 0x61 })
            #expect(counted.withLock { $0 } == test.read)
        } catch let refusal as BodyRefusal {
            #expect(refusal == test.refusal)
            #expect(counted.withLock { $0 } <= 100)
        }
    }

    @Test func `the error of the function that counts the parts of a body ends its reading`() async throws {
        struct UsedUp: Error {}
        let (body, source) = RequestBody.makeStream()
        let sending = Task {
            for part in [60, 40] { await source.yield(ByteBuffer(repeating: 0x61, count: part)) }
            source.finish()
        }
        defer { sending.cancel() }
        await #expect(throws: UsedUp.self) {
            try await Self.request(body, length: "100").readBody(upTo: 100) { if $0 < 60 { throw UsedUp() } }
        }
    }

    @Test func `a request body that does not arrive in time is refused`() async throws {
        let (body, source) = RequestBody.makeStream()
        await source.yield(ByteBuffer(string: "a"))
        await #expect(throws: BodyRefusal.late) {
            try await Self.request(body).readBody(upTo: 100, within: TimeLimit(.milliseconds(10)))
        }
        source.finish()
    }

    @Test func `a request body that its client breaks off or encodes wrongly is refused`() async throws {
        struct Fault: Error {}
        let (body, source) = RequestBody.makeStream()
        await source.yield(ByteBuffer(string: "a"))
        source.finish(Fault())
        await #expect(throws: BodyRefusal.broken) { try await Self.request(body).readBody(upTo: 100) }
    }

    @Test func `a token is read from an Authorization header with the scheme Bearer`() {
        let cases: [(field: String?, token: String?)] = [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER a b", "a b"), ("Bearer  abc", " abc"),
            ("Bearer ", nil), ("Bearer", nil), ("Basic abc", nil), ("", nil), (nil, nil),
        ]
        for (field, token) in cases {
            var fields = HTTPFields()
            fields[.authorization] = field
            #expect(fields.bearer == token, "\(field ?? "none")")
        }
    }

    @Test func `JSON responses have sorted keys, no escaped slashes and a content type without parameters`()
        async throws
    {
        let response = try Response.json(["b": "a/b", "a": "c"], headers: [.cacheControl: "no-store"])
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(try String(buffer: ByteBuffer(json: ["b": "a/b", "a": "c"])) == #"{"a":"c","b":"a/b"}"#)
        #expect(response.body.contentLength == 19)
    }

    @Test func `a cross-site request of a browser is recognized by its Sec-Fetch-Site header`() {
        let cases: [(sites: [String], isForeign: Bool)] = [
            ([], false), (["same-origin"], false), (["none"], false), (["same-site"], true), (["cross-site"], true),
            (["same-origin", "cross-site"], true), (["Same-Origin"], true), ([""], true),
        ]
        for (sites, isForeign) in cases {
            var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
            for site in sites {
                guard let name = HTTPField.Name("Sec-Fetch-Site") else { continue }
                request.headerFields.append(HTTPField(name: name, value: site))
            }
            #expect(request.isFromOtherSite == isForeign, "\(sites)")
        }
    }
}
