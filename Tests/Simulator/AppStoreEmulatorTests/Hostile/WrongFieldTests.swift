import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Requests with one invalid value.
@Suite(.hangLimit) struct WrongFieldTests {
    @Test(arguments: BodyDescription.all)
    func `an invalid value of a body field is refused with the field's error code and changes nothing`(
        _ description: BodyDescription
    ) async throws {
        try await HostileStore.unharmed { store in
            let path = description.path.replacing("{coins}", with: store.coins)
                .replacing("{silver}", with: store.silver)
            let method = try #require(HTTPRequest.Method(description.method))
            let wrong = description.wrongBodies()
            #expect(wrong.count > 25 * description.fields.count)
            for entry in wrong {
                let answer = try await store.caller.send(method, path, bytes: entry.body)
                #expect(answer.code == entry.code, "\(entry.id)")
                #expect(answer.status == entry.code / 10_000, "\(entry.id)")
                #expect(answer.fields[.contentType] == "application/json", "\(entry.id)")
            }
        }
    }

    @Test(arguments: BodyDescription.all)
    func `a request body that is not a JSON object is refused with the general error code`(
        _ description: BodyDescription
    ) async throws {
        try await HostileStore.unharmed { store in
            let path = description.path.replacing("{coins}", with: store.coins)
                .replacing("{silver}", with: store.silver)
            let method = try #require(HTTPRequest.Method(description.method))
            let bodies = [
                ("nothing", ""), ("a blank", " "), ("null", "null"), ("a number", "7"), ("a text", #""abc""#),
                ("a list", "[]"), ("a list of objects", "[{}]"), ("half an object", "{"), ("words", "abc"),
                ("an end alone", "}"), ("two objects", "{} {}"), ("something behind it", "{}x"),
                ("a name without quotes", "{extendByDays: 5}"), ("a number as a name", "{1: 5}"),
                ("no value", #"{"a"}"#),
                ("a comment", "{} // x"), ("a form", "extendByDays=5&productId=x"), ("XML", "<a/>"), ("NUL", "\0"),
            ]
            for (id, body) in bodies {
                let answer = try await store.caller.send(method, path, bytes: Data(body.utf8))
                #expect(answer.code == 4_000_000, "\(id)")
            }
        }
    }

    /// Parameter of a query, with a function that returns `true` for a valid value.
    private struct Parameter: Sendable {
        let path: String
        let name: String
        let code: Int
        let isRight: @Sendable (String) -> Bool
    }

    private static let parameters: [Parameter] = {
        let (history, no) = ("/inApps/v2/history/{coins}", { @Sendable (_: String) in false })
        let name = { @Sendable (value: String) in (1...255).contains(value.utf8.count) }
        let date = { @Sendable (value: String) in Int64(value).map { $0 >= 0 } ?? false }
        let flag = { @Sendable (value: String) in ["true", "false"].contains(value.lowercased()) }
        return [
            Parameter(path: history, name: "revision", code: 4_000_005, isRight: no),
            Parameter(path: "/inApps/v2/refund/lookup/{coins}", name: "revision", code: 4_000_005, isRight: no),
            Parameter(path: history, name: "startDate", code: 4_000_015, isRight: date),
            Parameter(path: history, name: "endDate", code: 4_000_016, isRight: date),
            Parameter(path: history, name: "productId", code: 4_000_023, isRight: name),
            Parameter(path: history, name: "subscriptionGroupIdentifier", code: 4_000_024, isRight: name),
            Parameter(path: history, name: "productType", code: 4_000_022, isRight: no),
            Parameter(path: history, name: "inAppOwnershipType", code: 4_000_026, isRight: no),
            Parameter(path: history, name: "sort", code: 4_000_021, isRight: no),
            Parameter(path: history, name: "revoked", code: 4_000_030, isRight: flag),
            Parameter(path: history, name: "excludeRevoked", code: 4_000_025, isRight: flag),
            Parameter(path: "/inApps/v1/subscriptions/{silver}", name: "status", code: 4_000_031) {
                Int($0).map { (1...5).contains($0) } ?? false
            },
        ]
    }()

    /// Parameters that must not be repeated.
    private static let singles = [
        ("revision", "7", 4_000_005), ("startDate", "1", 4_000_015), ("endDate", "1", 4_000_016),
        ("inAppOwnershipType", "PURCHASED", 4_000_026), ("sort", "ASCENDING", 4_000_021),
        ("revoked", "true", 4_000_030),
        ("excludeRevoked", "true", 4_000_025),
    ]

    @Test func `an invalid query parameter is refused with the parameter's error code`() async throws {
        let values = [
            "", " ", "abc", "-1", "0", "6", "1.5", "0x10", "1e3", "9223372036854775807", "9223372036854775808",
            String(repeating: "9", count: 100), String(repeating: "a", count: 256),
            String(repeating: "a", count: 2_000),
            "true", "TRUE", "yes", "true ", "\n", "\u{1F600}", "'; DROP TABLE purchase; --", "[]", "null", "a,b",
            "ASCENDING,DESCENDING", "ascending", "purchased", "consumable",
        ]
        try await HostileStore.unharmed { store in
            for parameter in Self.parameters {
                let path = parameter.path.replacing("{coins}", with: store.coins)
                    .replacing("{silver}", with: store.silver)
                for value in values where !parameter.isRight(value) {
                    let answer = try await store.caller.send(.get, path, query: [(parameter.name, value)])
                    #expect(answer.code == parameter.code, "\(parameter.name)=\(value.prefix(40))")
                }
                for encoding in ["%", "%4", "%zz", "%00", "%FF", "%C0%AF", "%ED%A0%80", "a%"] {
                    let target = store.request("GET", "\(path)?\(parameter.name)=\(encoding)")
                    let answer = try #require(try await store.raw.send(target).answers.first)
                    #expect(answer.verdict == 4_000_000, "\(parameter.name)=\(encoding)")
                }
            }
            for (name, value, code) in Self.singles {
                let answer = try await store.caller.send(
                    .get, "/inApps/v2/history/\(store.coins)", query: [(name, value), (name, value)])
                #expect(answer.code == code, "\(name) twice")
            }
        }
    }

    @Test
    func `an invalid identifier in the URL path of a request is refused with Apple's error code for that endpoint`()
        async throws
    {
        let get = HTTPRequest.Method.get
        let paths: [(HTTPRequest.Method, String, Int)] = [
            (get, "/inApps/v1/transactions/*", 4_000_006), (get, "/inApps/v1/history/*", 4_000_006),
            (get, "/inApps/v2/history/*", 4_000_006), (get, "/inApps/v1/subscriptions/*", 4_000_006),
            (get, "/inApps/v1/refund/lookup/*", 4_000_008), (get, "/inApps/v2/refund/lookup/*", 4_000_006),
            (get, "/inApps/v1/transactions/appTransactions/*", 4_000_006),
            (.post, "/inApps/v1/transactions/*/finish", 4_000_006),
            (.put, "/inApps/v1/transactions/*/appAccountToken", 4_000_006),
            (.put, "/inApps/v1/transactions/consumption/*", 4_000_006),
            (.put, "/inApps/v2/transactions/consumption/*", 4_000_006),
            (.put, "/inApps/v1/subscriptions/extend/*", 4_000_008),
            (get, "/inApps/v1/subscriptions/extend/mass/club.silver/*", 4_000_011),
            (get, "/inApps/v1/subscriptions/extend/mass/*/00000000-0000-4000-8000-00000000000d", 4_000_023),
            (get, "/inApps/v1/notifications/test/*", 4_000_020),
        ]
        let bodies: [String: [String: JSONValue]] = [
            "appAccountToken": ["appAccountToken": .string("00000000-0000-4000-8000-00000000000d")],
            "v1/transactions/consumption": ConsumptionTests.first,
            "v2/transactions/consumption": ConsumptionTests.second, "extend/*": ExtensionTests.body(),
        ]
        let identifiers = [
            "", "abc", "-1", "+1", "1.0", "0x1", "1e3", "007", "%20", "1%20", "%0A1", "9223372036854775808",
            String(repeating: "9", count: 20), String(repeating: "9", count: 4_000), "%D9%A1", "%EF%BC%91", "1%2F2",
            "%2e%2e",
            "..", "1;2", "'", "%F0%9F%98%80", "null", "1%2C2", "00000000-0000-4000-8000-00000000000g",
        ]
        try await HostileStore.unharmed { store in
            for (method, path, code) in paths {
                let body = bodies.first { path.contains($0.key) }?.value
                for identifier in identifiers {
                    let content = try body.map { try JSONEncoder().encode($0) } ?? Data()
                    let request = store.request(
                        method.rawValue, path.replacing("*", with: identifier), "Content-Length: \(content.count)",
                        body: String(decoding: content, as: UTF8.self))
                    let answer = try #require(try await store.raw.send(request).answers.first)
                    #expect(answer.verdict == code, "\(path) with \(identifier.prefix(40))")
                }
            }
        }
    }
}
