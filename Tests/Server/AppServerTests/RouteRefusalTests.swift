import Foundation
import NIOCore
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineAppServer

/// Requests that the server refuses.
@Suite(.blocksThreads, .hangLimit) struct RouteRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let id: String
        let method: String
        let path: String
        /// `true` if a device makes the request.
        var isFromDevice = false
        var body: String?
        let status: Int
        let code: String
        var field: String?

        var testDescription: String { id }
    }

    static let refusals = [
        Refusal(id: "an unknown path", method: "GET", path: "/v1/nothing", status: 404, code: "not-found"),
        Refusal(id: "a path that is encoded wrongly", method: "GET", path: "/v1/%zz", status: 400, code: "invalid"),
        Refusal(
            id: "an empty name", method: "PUT", path: "/v1/me/leases/", isFromDevice: true, body: "{}", status: 404,
            code: "not-found"),
        Refusal(id: "another method", method: "PATCH", path: "/v1/key", status: 405, code: "method-not-allowed"),
        Refusal(
            id: "another method at a path with a name", method: "POST", path: "/v1/me/documents/x", status: 405,
            code: "method-not-allowed"),
        Refusal(id: "no token", method: "GET", path: "/v1/me/state", status: 401, code: "unauthenticated"),
        Refusal(
            id: "no token and a body that is no JSON", method: "POST", path: "/v1/me/signed", body: "]", status: 401,
            code: "unauthenticated"),
        Refusal(
            id: "a body that is no JSON", method: "POST", path: "/v1/devices", body: "{", status: 400, code: "invalid"),
        Refusal(
            id: "a body that ends with a bracket", method: "POST", path: "/v1/devices",
            body: String(repeating: "[", count: 513), status: 400, code: "invalid"),
        Refusal(id: "no body", method: "POST", path: "/v1/devices", status: 400, code: "invalid"),
        Refusal(
            id: "a body that is an array", method: "POST", path: "/v1/devices", body: "[]", status: 400, code: "invalid"
        ),
        Refusal(
            id: "a missing field", method: "POST", path: "/v1/devices", body: "{}", status: 400, code: "invalid",
            field: "app"),
        Refusal(
            id: "a field of another type", method: "POST", path: "/v1/devices", body: #"{"app":1}"#, status: 400,
            code: "invalid", field: "app"),
        Refusal(
            id: "a field that is null", method: "POST", path: "/v1/me/signed", isFromDevice: true,
            body: #"{"signed":[null]}"#, status: 400, code: "invalid", field: "signed.[0]"),
        Refusal(
            id: "a text with U+0000", method: "POST", path: "/v1/devices/me/token",
            body: #"{"device":"\\\u0000","challenge":"a","signature":""}"#, status: 400, code: "invalid"),
        Refusal(
            id: "a text with a backslash before u0000", method: "POST", path: "/v1/devices/me/token",
            body: #"{"device":"\\u0000","challenge":"a","signature":""}"#, status: 401, code: "unauthenticated"),
        Refusal(
            id: "too many items", method: "POST", path: "/v1/me/signed", isFromDevice: true,
            body: #"{"signed":[\#(Array(repeating: #""a""#, count: 51).joined(separator: ","))]}"#, status: 400,
            code: "invalid", field: "signed"),
        Refusal(
            id: "an app that the server does not have", method: "POST", path: "/v1/apple/notifications/other",
            body: #"{"signedPayload":"a"}"#, status: 404, code: "not-found"),
        Refusal(
            id: "a notification that is no JSON", method: "POST",
            path: "/v1/apple/notifications/com.example.voyager", body: "a", status: 400, code: "invalid"),
        Refusal(
            id: "a notification that is not signed", method: "POST",
            path: "/v1/apple/notifications/com.example.voyager", body: #"{"signedPayload":"a.b.c"}"#, status: 400,
            code: "rejected"),
        Refusal(
            id: "a notification of 257 KiB", method: "POST", path: "/v1/apple/notifications/com.example.voyager",
            body: String(repeating: "a", count: 257 * 1_024), status: 413, code: "too-large"),
        Refusal(
            id: "a body of 65 KiB", method: "POST", path: "/v1/devices",
            body: #"{"app":"\#(String(repeating: "a", count: 65 * 1_024))"}"#, status: 413, code: "too-large"),
        Refusal(
            id: "a debit of nothing", method: "POST", path: "/v1/me/wallets/coins/debits", isFromDevice: true,
            body: #"{"token":"a","amount":0}"#, status: 400, code: "invalid"),
        Refusal(
            id: "a debit of a fraction", method: "POST", path: "/v1/me/wallets/coins/debits", isFromDevice: true,
            body: #"{"token":"a","amount":0.5}"#, status: 400, code: "invalid"),
        Refusal(
            id: "a lease for a year", method: "POST", path: "/v1/me/wallets/coins/leases", isFromDevice: true,
            body: #"{"token":"a","amount":1,"seconds":31536000}"#, status: 400, code: "invalid"),
        Refusal(
            id: "a removal without a proof", method: "POST", path: "/v1/me/devices/a/removal", isFromDevice: true,
            body: #"{"challenge":"a","signature":"AA=="}"#, status: 401, code: "unauthenticated"),
        Refusal(
            id: "an identifier that is none", method: "POST", path: "/v1/me/signed", isFromDevice: true,
            body: #"{"signed":[],"deviceVerificationID":"a"}"#, status: 400, code: "invalid",
            field: "deviceVerificationID"),
        Refusal(
            id: "a question without signed data", method: "POST", path: "/v1/verify",
            body: #"{"bundleId":"com.example.voyager"}"#, status: 400, code: "invalid", field: "signedTransaction"),
    ]

    @Test(arguments: refusals)
    func `an invalid request is refused with the status, code and field of its error`(_ refusal: Refusal) async throws {
        try await ServedApps.run { server in
            let headers = refusal.isFromDevice ? try await server.enroll().headers : []
            let answer = try await server.client.send(
                refusal.method, refusal.path, headers, body: refusal.body.map { Data($0.utf8) })
            #expect(answer.status == refusal.status)
            // Apple's client for Python accepts no parameter here.
            #expect(answer.fields["content-type"] == "application/json")
            let errorResponse = try answer.errorResponse
            #expect(errorResponse.code == refusal.code)
            #expect(errorResponse.field == refusal.field)
            #expect(errorResponse.message.last == ".")
            #expect(errorResponse.retryable == false)
        }
    }

    @Test func `an unsupported method gets 405 with the allowed methods, and paths with GET answer HEAD`() async throws
    {
        try await ServedApps.run { server in
            let cases = [
                ("/v1/key", "POST", "GET, HEAD"), ("/v1/devices", "GET", "POST"),
                ("/v1/devices/me/account", "GET", "DELETE"), ("/v1/me/documents/a", "DELETE", "GET, HEAD, PUT"),
            ]
            for (path, method, allowed) in cases {
                let answer = try await server.client.send(method, path)
                #expect(answer.status == 405)
                #expect(
                    answer.fields["allow"]?.components(separatedBy: ", ").sorted().joined(separator: ", ") == allowed)
            }
            let answer = try await server.client.send("HEAD", "/v1/key")
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.fields["content-length"] == "54")
        }
    }

    @Test func `a parameter in a request path is percent-decoded once`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let notification = Data(#"{"signedPayload":"a"}"#.utf8)
            let answer = try await server.client.send(
                "POST", "/v1/apple/notifications/com%2Eexample%2Evoyager", body: notification)
            #expect(try answer.errorResponse.code == "rejected")
            let twice = try await server.client.send(
                "POST", "/v1/apple/notifications/com%252Eexample.voyager", body: notification)
            #expect(twice.status == 404)
            let name = try await server.client.send("GET", "/v1/me/documents/..%2F..%2Fetc%2Fpasswd", device.headers)
            #expect(name.status == 404)
        }
    }

    @Test func `a compressed request body is refused`() async throws {
        try await ServedApps.run { server in
            let packed = Gzip.pack(Data(#"{"signed":[]}"#.utf8))
            let device = try await server.enroll()
            let answer = try await server.client.send(
                "POST", "/v1/me/signed", device.headers + [("Content-Encoding", "gzip")], body: packed)
            #expect(answer.status == 400)
            #expect(try answer.errorResponse.code == "invalid")
        }
    }

    @Test func `the identifier of a transaction, customer or device is not accepted as an access token`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let signed = try await server.buy("com.example.voyager.rome")
            _ = try await server.client.send(
                "POST", "/v1/me/signed", device.headers, json: ["signed": [signed]])
            let id = try #require(TransactionPayload(unverified: signed)).transactionID
            for path in ["/v1/me/state", "/v1/me/documents", "/v1/me/documents/\(id)", "/v1/me/events"] {
                for token in [id, device.enrollment.customer, device.enrollment.device] {
                    let answer = try await server.client.send("GET", path, [("Authorization", "Bearer \(token)")])
                    #expect(answer.status == 401, "\(path)")
                }
            }
        }
    }

    @Test func `a request whose body arrives too slowly gets 408, and its connection is closed`() async throws {
        try await ServedApps.run(configure: { $1.bodyTime = .milliseconds(200) }) { server in
            let answer = try await server.client.send(
                raw: HTTPLine.head("POST", "/v1/devices", [], length: 100) + Data("{".utf8))
            #expect(answer.status == 408)
            #expect(try answer.errorResponse.code == "timeout")
            #expect(try answer.errorResponse.retryable)
        }
    }

    @Test func `a request body with a huge declared length is refused before it is sent`() async throws {
        try await ServedApps.run { server in
            let answer = try await server.client.send(raw: HTTPLine.head("POST", "/v1/devices", [], length: 1 << 40))
            #expect(answer.status == 413)
        }
    }

    @Test func `a connection on which the client sends no data is closed`() async throws {
        try await ServedApps.run(configure: { $1.idleTime = .milliseconds(200) }) { server in
            let received = try await server.client.connect { connection in try await connection.readAll() }
            #expect(received.isEmpty)
        }
    }
}
