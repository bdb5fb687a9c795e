import Foundation
import Testing
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineNetworking
import VitrineTestSupport

@testable import Vitrine

/// Server that is unavailable or sends invalid responses.
@Suite(.hangLimit) struct ServerFailureTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: LoopbackServer.Answer
        let code: ExchangeErrorCode
        let text: String

        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "too many requests",
            answer: SampleServer.errorResponse(429, "too-many", "Slower.", headers: ["Retry-After": "7"]),
            code: .transport,
            text: "status 429: Slower.; it permits the next request after 7 seconds"),
        Case(
            name: "no database", answer: SampleServer.errorResponse(503, "unavailable", "Later."), code: .transport,
            text: "status 503: Later."),
        Case(
            name: "a proxy's page", answer: .reply(502, body: Data("<html>".utf8)), code: .transport, text: "status 502"
        ),
        Case(
            name: "forbidden", answer: SampleServer.errorResponse(403, "forbidden", "Log in."), code: .transport,
            text: "Log in."
        ),
        Case(name: "a broken body", answer: .broken(after: 10, of: 100), code: .transport, text: "does not answer"),
        Case(name: "a reset", answer: .reset, code: .transport, text: "does not answer"),
        Case(name: "a redirect", answer: .redirect(to: URL(filePath: "/")), code: .transport, text: "status 302"),
        Case(
            name: "no JSON", answer: .json("{\"names\":["), code: .transport, text: "does not have the expected format"),
        Case(name: "other JSON", answer: .json("{\"names\":[1]}"), code: .transport, text: "expected format"),
        Case(
            name: "too many names",
            answer: .json("{\"names\":[\(Array(repeating: "\"a\"", count: 100_001).joined(separator: ","))]}"),
            code: .transport, text: "more than 100000 documents"),
        Case(name: "an endless body", answer: .endless(), code: .tooLarge, text: "bytes"),
    ]

    @Test(arguments: cases) func `an unreadable list of documents ends the exchange with an error and changes nothing`(
        _ failure: Case
    ) async throws {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        try await phone.server.enroll()
        let history = try await phone.ledger.history()
        server.answerNext("GET", "/v1/me/documents", failure.answer)
        let error = await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
        #expect(error?.code == failure.code)
        #expect(error?.reason.contains(failure.text) == true, "\(error?.reason ?? "")")
        #expect(try await phone.ledger.history() == history)
        #expect(phone.wallets.balance(for: "coins") == .known(50))
        #expect(try await phone.server.exchange().sent > 0)
    }

    @Test func `an access token that the server refuses again after its renewal is not renewed a second time`()
        async throws
    {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        for _ in 0..<2 {
            server.answerNext("GET", "/v1/me/documents", SampleServer.errorResponse(401, "unauthenticated", "No."))
        }
        let before = server.requests.count
        let error = await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
        #expect(error?.reason.contains("status 401: No.") == true)
        #expect(server.requests.dropFirst(before).count == 4)
    }

    @Test func `documents with hostile names are ignored, and no path outside the documents is requested`() async throws
    {
        let (phone, tablet) = (try await makeDevice("phone"), try await makeDevice("tablet"))
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        try await tablet.server.enroll()
        let customer = try #require(try tablet.server.customer).uuidString
        let hostile = [
            "../../devices/me", "", "a", "device-0001.1-3.0123456789abcdef/../../state",
            "device-0001.1-3.0123456789abcdef%2F..%2Fme", "device-0001.1-3.0123456789abcdef.facts?x=1#y",
        ]
        server.change { state in
            for name in hostile { state.documents[customer, default: [:]][name] = Data("facts".utf8) }
        }
        let before = server.received.count
        let report = try await tablet.server.exchange()
        #expect(tablet.wallets.balance(for: "coins") == .known(50))
        #expect(report.problems.allSatisfy { $0.document.hasPrefix("device-0001") })
        let paths = server.received.dropFirst(before).map(\.path)
        #expect(paths.allSatisfy { $0 == "/v1/me/documents" || $0.split(separator: "/").count == 4 }, "\(paths)")
        #expect(paths.allSatisfy { !$0.contains("?") && !$0.contains("#") }, "\(paths)")
    }

    @Test func `a document that one exchange cannot fetch is read by the next exchange`() async throws {
        let (phone, tablet) = (try await makeDevice("phone"), try await makeDevice("tablet"))
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        try await tablet.server.enroll()
        server.answerNext("GET", "/v1/me/documents/", .broken(after: 3, of: 900))
        let report = try await tablet.server.exchange()
        #expect(report.problems.map(\.isFinal) == [false])
        #expect(try await tablet.server.exchange().received > 0)
        #expect(tablet.wallets.balance(for: "coins") == .known(50))
    }

    @Test func `without a server, ownership is unchanged and purchases are possible`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        #expect(await buy("lisbon", with: phone) == "charged")
        let dead = try DeadAddress()
        let offline = try await makeDevice("phone", url: dead.url)
        for _ in 0..<2 {
            let error = await #expect(throws: ExchangeError.self) { try await offline.server.exchange() }
            #expect(error?.code == .transport)
            let other = await #expect(throws: AppServerError.self) { try await offline.server.report() }
            #expect(other?.code == .connection)
            _ = await #expect(throws: AppServerError.self) { try await offline.server.customerState() }
        }
        #expect(offline.ownership(of: .voyager("lisbon")).isOwned)
        #expect(await buy("coins50", with: offline) == "charged")
        #expect(offline.wallets.balance(for: "coins") == .known(50))
    }

    @Test func `an exchange that is canceled while it holds the exclusive lock releases it`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        let customer = try #require(try phone.server.customer)
        let transport = ServerTransport(try phone.server.session, customer: customer)
        let exchanging = Task {
            try await transport.exclusively { () throws(ExchangeError) in
                withUnsafeCurrentTask { $0?.cancel() }
                throw ExchangeError(code: .transport, reason: "canceled")
            }
        }
        await #expect(throws: ExchangeError.self) { try await exchanging.value }
        #expect(server.requests.suffix(2) == ["POST /v1/me/exchange-lock", "DELETE /v1/me/exchange-lock"])
        #expect(server.value(\.locks).isEmpty)
    }

    @Test func `a malformed enrollment response is refused, and the next enrollment uses the same device key`()
        async throws
    {
        let phone = try await makeDevice("phone")
        let key = Data(repeating: 1, count: 32).base64EncodedString()
        let answers = [
            "{}", "[]", #"{"device":"","customer":"\#(UUID())","key":"\#(key)","token":{"token":"a"}}"#,
            #"{"device":"a","customer":"\#(UUID())","key":"AAAA","token":{"token":"a"}}"#,
            #"{"device":"a","customer":"\#(UUID())","key":"\#(key)","token":{"token":"a\r\nX: y"}}"#,
            #"{"device":"a","customer":"nobody","key":"\#(key)","token":{"token":"a"}}"#,
        ]
        for answer in answers {
            server.answerNext("POST", "/v1/devices", .json(answer, status: 201))
            let error = await #expect(throws: AppServerError.self) { try await phone.server.enroll() }
            #expect(error?.code == .format, "\(answer)")
            #expect(try phone.server.customer == nil)
        }
        let made = try credentials("phone")?.privateKey
        try await phone.server.enroll()
        #expect(try credentials("phone")?.privateKey == made)
        #expect(server.value(\.devices).count == 1)
    }

    @Test func `a device that the server reports as having left enrolls with a new key`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        let key = try credentials("phone")?.privateKey
        server.answerNext("POST", "/v1/devices", SampleServer.errorResponse(409, "conflict", "The device has left."))
        try await phone.server.enroll()
        #expect(try credentials("phone")?.privateKey != key)
    }

    @Test func `the credentials file is readable only by its owner, and a damaged file is not replaced silently`()
        async throws
    {
        let phone = try await makeDevice("phone")
        for _ in 0..<2 {
            try await phone.server.enroll()
            let attributes = try FileManager.default.attributesOfItem(atPath: home("phone").credentials.path())
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: home("phone").url.path())
        #expect(names.filter { $0.contains("server.json") } == ["server.json"])

        try Data("{\"privateKey\":".utf8).write(to: home("phone").credentials)
        let error = await #expect(throws: AppServerError.self) { try await phone.server.enroll() }
        #expect(error?.code == .storage)
        #expect(await buy("coins50", with: phone) == "charged")
        try await phone.server.startOver()
        try await phone.server.enroll()
        #expect(try phone.server.customer != nil)
    }

    @Test func `enrolling fails with an error if no server or an insecure server is configured`() async throws {
        let phone = try await makeDevice("phone") { $0.server = nil }
        let error = await #expect(throws: AppServerError.self) { try await phone.server.enroll() }
        #expect(error?.code == .invalidRequest)
        let plain = try await makeDevice("plain", url: URL(string: "http://example.com/"))
        let refused = await #expect(throws: AppServerError.self) { try await plain.server.enroll() }
        #expect(refused?.code == .invalidRequest)
    }
}
