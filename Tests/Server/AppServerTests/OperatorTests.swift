import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineAppServer

/// Permissions and effects of operators' requests.
struct OperatorTests {
    /// Request of an operator, with the lowest role that is permitted to make it.
    struct Case: CustomTestStringConvertible, Sendable {
        let method: HTTPRequest.Method
        let path: String
        let role: OperatorRole
        /// Expected status for a permitted role.
        let status: Int

        init(_ method: HTTPRequest.Method, _ path: String, _ role: OperatorRole, _ status: Int = 200) {
            (self.method, self.path, self.role, self.status) = (method, path, role, status)
        }

        var testDescription: String { "\(method) \(path)" }
    }

    static let cases = [
        Case(.get, "/v1/admin/me", .read), Case(.get, "/v1/admin/customers", .read),
        Case(.get, "/v1/admin/customers/ID", .read), Case(.get, "/v1/admin/customers/ID/facts", .read),
        Case(.get, "/v1/admin/customers/ID/why/com.example.voyager.rome", .read),
        Case(.get, "/v1/admin/notifications", .read),
        Case(.post, "/v1/admin/notifications/\(RouteTester.app)/none/again", .support, 404),
        Case(.post, "/v1/admin/customers/ID/grants", .support, 201),
        Case(.post, "/v1/admin/customers/ID/revocations", .support, 201),
        Case(.post, "/v1/admin/customers/ID/deposits", .support, 201),
        Case(.post, "/v1/admin/customers/ID/removals", .support, 404),
        Case(.post, "/v1/admin/customers/ID/transfers", .admin, 404),
        Case(.post, "/v1/admin/customers/ID/erasure", .admin, 204),
        Case(.get, "/v1/admin/customers/ID/export", .admin),
        Case(.post, "/v1/admin/catalogs/\(RouteTester.app)", .admin, 422),
    ]

    /// Body with the fields of all requests.
    private static let body = Data(
        """
        {"product": "com.example.voyager.rome", "wallet": "coins", "amount": 5, "token": "t1", "reason": "a mistake", \
        "catalog": "", "device": "none", "devices": ["none"]}
        """.utf8)

    @Test(arguments: cases) func `an operator role permits its own requests and the requests of lower roles`(
        _ test: Case
    ) async throws {
        for role in OperatorRole.allCases {
            let tester = try await RouteTester()
            let customer = try await tester.enroll().customer
            let path = test.path.replacing("ID", with: customer)
            let body = test.method == .post ? Self.body : nil
            let reply = try await tester.operate(test.method, path, as: role, body: body)
            #expect(reply.status == (role >= test.role ? test.status : 403), "\(role): \(reply.text)")
        }
    }

    @Test func `the table of test cases covers all routes of the operator API`() async throws {
        let names = buildOperatorRouter(try await RouteTester().services).endpoints
            .map { "\($0.endpoint.method.rawValue) \($0.endpoint.path)" }.filter { $0.contains("/v1/admin/") }
        let cases = Self.cases.map { test in
            "\(test.method.rawValue) \(test.path)".replacing("ID", with: "{id}")
                .replacing("com.example.voyager.rome", with: "{product}").replacing("none", with: "{id}")
                .replacing(RouteTester.app, with: "{app}")
        }
        #expect(Set(names) == Set(cases))
        #expect(Set(cases).count == cases.count)
    }

    @Test(arguments: cases) func `operator requests without a valid operator token get 401`(_ test: Case) async throws {
        let tester = try await RouteTester()
        let device = try await tester.enroll()
        let path = test.path.replacing("ID", with: device.customer)
        let right = try #require(RouteTester.operatorTokens[.admin])
        let wrong: [HTTPFields] = [
            [:], [.authorization: "Bearer "], [.authorization: "Bearer wrong"], [.authorization: right],
            [.authorization: "Basic \(right)"], [.cookie: "token=\(right)"],
            [.authorization: "Bearer \(right.dropLast())"], [.authorization: "Bearer \(right)s"],
            [.authorization: "Bearer \(device.token)"],
        ]
        for headers in wrong {
            let reply = try await tester.operate(test.method, path, as: nil, headers, body: Self.body)
            #expect(reply.status == 401, "\(headers)")
            #expect(reply.headers[.wwwAuthenticate] == "Bearer")
            #expect(reply.headers[.setCookie] == nil)
        }
        // The address of devices has none of these.
        let reply = try await tester.send(test.method, path, token: right, body: Self.body)
        #expect(reply.status == 404)
    }

    @Test func `a request of an operator is refused with the reason that its token is wrong, or missing`() async throws
    {
        let tester = try await RouteTester()
        let wrong = try await tester.operate(.get, "/v1/admin/me", as: nil, [.authorization: "Bearer wrong"])
        #expect(wrong.status == 401 && wrong.text.contains("token is wrong"))
        let missing = try await tester.operate(.get, "/v1/admin/me", as: nil)
        #expect(missing.status == 401 && missing.text.contains("has no token of an operator"))
    }

    @Test func `an operator token is accepted only if its complete digest matches`() {
        let token = String(repeating: "token", count: 7)
        let account = OperatorAccount(name: "a", role: .read, tokenDigest: OperatorAccounts.digest(of: token))
        let other = OperatorAccount(name: "b", role: .admin, tokenDigest: Data())
        let short = OperatorAccount(
            name: "c", role: .admin, tokenDigest: OperatorAccounts.digest(of: token).prefix(31))
        let weak = OperatorAccount(name: "d", role: .admin, tokenDigest: OperatorAccounts.digest(of: "token"))
        let accounts = OperatorAccounts([other, account, short, weak])
        #expect(accounts.account(bearing: token) == account)
        #expect(accounts.account(bearing: "") == nil)
        #expect(accounts.account(bearing: token.capitalized) == nil)
        #expect(OperatorAccounts([]).account(bearing: token) == nil)
        // A token of fewer than 32 characters could be guessed.
        #expect(accounts.account(bearing: "token") == nil)
    }

    @Test func `requests without a valid operator token are counted and limited, and valid tokens are not affected`()
        async throws
    {
        let tester = try await RouteTester()
        for number in 0..<12 {
            let wrong: HTTPFields = [.authorization: "Bearer \(String(repeating: "wrong", count: 10))"]
            let reply = try await tester.operate(.get, "/v1/admin/me", as: nil, wrong)
            #expect(reply.status == (number < 10 ? 401 : 429))
            #expect(try await tester.operate(.get, "/v1/admin/me", as: .read).status == 200)
        }
        #expect(tester.services.metrics.text.contains("operator_refusals_total 12"))
        tester.clock.advance(by: 6)
        #expect(try await tester.operate(.get, "/v1/admin/me", as: nil).status == 401)
        #expect(try await tester.operate(.get, "/v1/admin/me", as: nil).status == 429)
    }

    @Test func `the facts that an operator requests contain no data that the store has signed`() async throws {
        try await ServedApps.run { server in
            let device = try await server.buyer()
            let answer = try await server.operators.send(
                "GET", "/v1/admin/customers/\(device.enrollment.customer)/facts",
                [("Authorization", "Bearer \(ServedApps.operatorToken)")])
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""purchase""#))
            // Each JWS begins with the base64 of an opening brace and quotation mark.
            #expect(!answer.text.contains("eyJ"))
        }
    }

    // MARK: Actions

    @Test func `a product that an operator grants is owned with the reason until the operator revokes it`() async throws
    {
        let tester = try await RouteTester()
        try await tester.publish(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>com.example.voyager.rome</string>
                <key>consumable</key><false/><key>productTitle</key><string>Rome Guide</string></dict></array>
                """))
        let device = try await tester.enroll()
        let base = "/v1/admin/customers/\(device.customer)"
        let product = "com.example.voyager.rome"
        func body(_ fields: [String: String]) throws -> Data { try JSONEncoder().encode(fields) }
        let grant = try body(["product": product, "token": "g1", "reason": "a lost purchase"])

        let first = try await tester.operate(.post, "\(base)/grants", as: .support, body: grant)
        let again = try await tester.operate(.post, "\(base)/grants", as: .support, body: grant)
        #expect((first.status, again.status) == (201, 201))
        #expect(try first.json["sequence"] == again.json["sequence"])
        let other = try body(["product": "com.example.voyager.athens", "token": "g1", "reason": "a lost purchase"])
        #expect(try await tester.operate(.post, "\(base)/grants", body: other).status == 409)

        let detail = try await tester.operate(.get, base, as: .read).json
        #expect(detail["owned"]?.list == [.string(product)])
        #expect(detail["titles"]?[product]?.text == "Rome Guide")
        #expect(detail["actions"]?.list?.first?["author"]?.text == "the supporter")
        let why = try await tester.operate(.get, "\(base)/why/\(product)", as: .read)
        #expect(why.text.contains("a lost purchase"))
        let listed = try await tester.operate(.get, "\(base)/facts?limit=500", as: .read).json
        #expect(listed["titles"]?[product]?.text == "Rome Guide")
        let facts = listed["facts"]?.list ?? []
        #expect(facts.contains { $0["kind"]?.text == "grant" })
        let last = try #require(try first.json["sequence"]?.number)
        let later = try await tester.operate(.get, "\(base)/facts?after=\(Int(last))", as: .read).json["facts"]?.list
        #expect(later == [])

        let lock = try body(["product": product, "token": "r1", "reason": "a mistake"])
        #expect(try await tester.operate(.post, "\(base)/revocations", body: lock).status == 201)
        #expect(try await tester.operate(.get, base, as: .read).json["owned"]?.list == [])
        let found = try await tester.operate(.get, "/v1/admin/customers?query=\(device.customer)", as: .read).json
        #expect(found["customers"]?.list?.map { $0["id"]?.text } == [device.customer])

        let export = try await tester.operate(.get, "\(base)/export")
        let lines = export.text.split(separator: "\n")
        #expect(export.headers[.contentType] == "application/jsonl")
        #expect(lines.count == Int(last) + 2)
        for line in lines { #expect(throws: Never.self) { try JSONValue(json: Data(line.utf8)) } }
    }

    @Test(arguments: [
        ("grants", #"{"product": "", "token": "t", "reason": "r"}"#), ("grants", #"{"product": "p", "reason": "r"}"#),
        ("grants", #"{"product": "p", "token": "t"}"#), ("grants", #"{"product": 1, "token": "t", "reason": "r"}"#),
        ("grants", #"{"product": "p", "token": "\u0000", "reason": "r"}"#),
        ("grants", #"{"product": "p", "token": "a\u001Ft", "reason": "r"}"#),
        ("grants", #"{"product": "p", "token": "t", "reason": "r", "until": "soon"}"#),
        ("grants", #"{"product": "p", "token": "t", "reason": "r", "until": -1}"#),
        ("grants", #"{"product": "p", "token": "t", "reason": "r", "until": 9223372036854775807}"#),
        ("deposits", #"{"wallet": "w", "amount": 0, "token": "t", "reason": "r"}"#),
        ("deposits", #"{"wallet": "w", "amount": -5, "token": "t", "reason": "r"}"#),
        ("deposits", #"{"wallet": "w", "amount": 9223372036854775807, "token": "t", "reason": "r"}"#),
        ("deposits", #"{"wallet": "w", "amount": 1.5, "token": "t", "reason": "r"}"#),
        ("revocations", "[]"), ("revocations", "null"), ("revocations", ""), ("deposits", "{"),
    ]) func `an operator request with an invalid field is refused and records no fact`(_ action: String, _ body: String)
        async throws
    {
        let tester = try await RouteTester()
        let customer = try await tester.enroll().customer
        let before = try await tester.records.facts(of: customer, after: 0, limit: 500).count
        let reply = try await tester.operate(.post, "/v1/admin/customers/\(customer)/\(action)", body: Data(body.utf8))
        #expect(reply.status == 400)
        #expect(try reply.code == "invalid")
        #expect(try await tester.records.facts(of: customer, after: 0, limit: 500).count == before)
    }

    @Test(arguments: [
        "customers/ID/facts?limit=0", "customers/ID/facts?limit=501", "customers/ID/facts?after=-1",
        "customers/ID/facts?after=x", "notifications?state=lost", "notifications?limit=x",
        "customers?query=\(String(repeating: "a", count: 256))",
    ]) func `an operator query with an invalid parameter is refused`(_ query: String) async throws {
        let tester = try await RouteTester()
        let path = "/v1/admin/\(query)".replacing("ID", with: try await tester.enroll().customer)
        #expect(try await tester.operate(.get, path).status == 400)
    }

    @Test func `operator requests about an unknown customer get 404`() async throws {
        let tester = try await RouteTester()
        for path in ["", "/facts", "/why/a", "/export"] {
            #expect(try await tester.operate(.get, "/v1/admin/customers/nobody\(path)").status == 404, "\(path)")
        }
        for path in ["grants", "revocations", "deposits", "removals", "transfers", "erasure"] {
            let reply = try await tester.operate(.post, "/v1/admin/customers/nobody/\(path)", body: Self.body)
            #expect(reply.status == 404, "\(path)")
        }
    }
}
