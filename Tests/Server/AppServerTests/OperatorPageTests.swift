import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineTestSupport

@testable import VitrineAppServer

/// Page for operators, and attacks by pages of other sites.
@Suite(.blocksThreads) struct OperatorPageTests {
    @Test func `the operator page's headers permit only its own scripts, forbid caching and set no cookie`()
        async throws
    {
        let tester = try await RouteTester()
        for path in ["/operator", "/operator/operator.css", "/operator/operator.js"] {
            let reply = try await tester.operate(.get, path, as: nil)
            #expect(reply.status == 200, "\(path)")
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
            #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.headers[.xContentTypeOptions] == "nosniff")
            #expect(reply.headers[.setCookie] == nil)
        }
        #expect(try await tester.send(.get, "/operator").status == 404)
    }

    @Test func `the operator page has no inline scripts or styles, and each field has a label`() async throws {
        let page = try await RouteTester().operate(.get, "/operator", as: nil).text
        #expect(page.ranges(of: "<script").count == 1)
        #expect(page.contains("<script src=\"operator/operator.js\" type=\"module\"></script>"))
        for word in ["<style", "style=", "javascript:", "http://", "https://"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.firstMatch(of: /<[^>]*\son[a-z]+=/) == nil)
        // Each field has a label, and each label a field.
        let labels = page.matches(of: /<label for="([a-z]+)"/).map { $0.1 }
        let fields = page.matches(of: /<(?:input|select) id="([a-z]+)"/).map { $0.1 }
        #expect(Set(labels) == Set(fields))
        #expect(!fields.isEmpty)
    }

    @Test func `the operator page's script inserts no HTML and stores no token in the browser`() async throws {
        let script = try await RouteTester().operate(.get, "/operator/operator.js", as: nil).text
        let forbidden = [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "localStorage",
            "sessionStorage", "document.cookie", "indexedDB", "setAttribute",
        ]
        for word in forbidden { #expect(!script.contains(word), "\(word)") }
        #expect(script.contains("credentials: \"omit\""))
    }

    struct Visit: CustomTestStringConvertible, Sendable {
        let id: String
        let host: String
        let headers: HTTPFields
        let status: Int

        init(_ id: String, _ status: Int, host: String = "127.0.0.1:8081", _ headers: HTTPFields = [:]) {
            (self.id, self.status, self.host, self.headers) = (id, status, host, headers)
        }

        var testDescription: String { id }
    }

    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .referer

    static let visits: [Visit] = [
        Visit("the address", 200), Visit("localhost", 200, host: "localhost:8081"),
        Visit("IPv6", 200, host: "[::1]:8081"), Visit("another address of the machine", 200, host: "10.1.2.3"),
        Visit("a configured name", 200, host: "operators.example:443"),
        Visit("a configured name in capitals", 200, host: "Operators.Example"),
        Visit("a name of another site", 421, host: "evil.example:8081"),
        Visit("a name that begins like the address", 421, host: "127.0.0.1.evil.example"),
        Visit("a name that begins like localhost", 421, host: "localhost.evil.example:8081"),
        Visit("no name", 421, host: ""),
        Visit("from the page", 200, [site: "same-origin"]),
        Visit("entered by hand", 200, [site: "none"]),
        Visit("from a page of another site", 403, [site: "cross-site"]),
        Visit("from a page of the same domain", 403, [site: "same-site"]),
    ]

    @Test(arguments: visits) func `operator requests with a foreign host name or from another site are refused`(
        _ visit: Visit
    ) async throws {
        let tester = try await RouteTester(names: ["operators.example"])
        let reply = try await tester.operate(.get, "/v1/admin/me", as: .read, visit.headers, host: visit.host)
        #expect(reply.status == visit.status)
        let page = try await tester.operate(.get, "/operator", as: nil, visit.headers, host: visit.host)
        #expect(page.status == visit.status)
        #expect(page.headers[.accessControlAllowOrigin] == nil)
    }

    // MARK: Browser

    /// Question to `Tests/Peers/operator_page.py`, whose docstring explains the fields.
    private struct Question: Encodable {
        let url, chromium, token, customer, product, text: String
    }

    private struct Answer: Decodable {
        struct Check: Decodable {
            let id, note: String
            let ok: Bool
        }

        let checks: [Check]
    }

    @Test(
        .hangLimit,
        .enabled(
            if: PeerTool.pythonWithPeers.isInstalled && PeerTool.chromium.isInstalled,
            "Chromium is not installed, or Scripts/peers was not run"))
    func `an operator looks up a customer on the operator page in a real browser`() async throws {
        let (product, text) = ("com.example.voyager.rome", "<img src=x onerror=alert(1)>")
        let result = try await ServedApps.run { served in
            let customer = try await served.enroll().enrollment.customer
            let granted = try await served.operators.send(
                "POST", "/v1/admin/customers/\(customer)/grants",
                [("Authorization", "Bearer \(ServedApps.operatorToken)")],
                json: ["product": product, "token": "g1", "reason": text])
            #expect(granted.status == 201)
            let chromium = try PeerTool.shell.run("-c", "command -v chromium").output
            let question = Question(
                url: "http://127.0.0.1:\(served.operators.port)/operator",
                chromium: chromium.trimmingCharacters(in: .whitespacesAndNewlines), token: ServedApps.operatorToken,
                customer: customer, product: product, text: text)
            let input = try JSONEncoder().encode(question)
            let script = Repository.file("Tests/Peers/operator_page.py").path(percentEncoded: false)
            return try PeerTool.pythonWithPeers.run(script, input: input)
        }
        try #require(result.status == 0, "\(result.output)")
        let checks = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8)).checks
        #expect(!checks.isEmpty)
        for check in checks { #expect(check.ok, "\(check.id): \(check.note)") }
    }
}
