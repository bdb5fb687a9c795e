import Foundation
import Testing
import VitrineShopPreview

/// Protection of a preview against pages of other sites and against other programs.
struct RequestGuardTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        var host: String? = "127.0.0.1:PORT"
        var headers: [(String, String)] = []
        var path = "/TOKEN/"
        let status: Int

        var testDescription: String { id }
    }

    static let cases: [Case] = [
        Case(id: "address that was entered", headers: [("Sec-Fetch-Site", "none")], status: 200),
        Case(id: "the page itself", headers: [("Sec-Fetch-Site", "same-origin")], status: 200),
        Case(id: "a program without a browser", status: 200),
        Case(id: "the name localhost", host: "localhost:PORT", status: 200),
        Case(
            id: "its own origin", headers: [("Origin", "http://127.0.0.1:PORT"), ("Sec-Fetch-Site", "same-origin")],
            status: 200),
        Case(
            id: "a form of the page, which names no origin",
            headers: [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")], status: 200),
        Case(id: "no host", host: nil, status: 421),
        Case(id: "a name that leads to this machine", host: "evil.example:PORT", status: 421),
        Case(id: "another port", host: "127.0.0.1:1", status: 421),
        Case(id: "no port", host: "127.0.0.1", status: 421),
        Case(id: "another site", headers: [("Sec-Fetch-Site", "cross-site")], status: 403),
        Case(id: "another port of this machine", headers: [("Sec-Fetch-Site", "same-site")], status: 403),
        Case(
            id: "two answers about the site",
            headers: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
            status: 403),
        Case(id: "another origin", headers: [("Origin", "https://evil.example")], status: 403),
        Case(id: "another port as the origin", headers: [("Origin", "http://127.0.0.1:1")], status: 403),
        Case(id: "another scheme as the origin", headers: [("Origin", "https://127.0.0.1:PORT")], status: 403),
        Case(id: "no origin without a word about the site", headers: [("Origin", "null")], status: 403),
        Case(
            id: "another name as the origin", host: "localhost:PORT", headers: [("Origin", "http://127.0.0.1:PORT")],
            status: 403),
        Case(id: "no token", path: "/", status: 404),
        Case(id: "a part of the token", path: "/HALF/", status: 404),
        Case(id: "a token that differs at its end", path: "/WRONG/", status: 404),
        Case(id: "a longer token", path: "/TOKEN0/", status: 404),
        Case(id: "the token in capital letters", path: "/CAPITAL/", status: 404),
        Case(
            id: "31 spaces and U+007F", path: "/" + String(repeating: "%20", count: 31) + "%7F/", status: 404),
        Case(id: "31 spaces and a letter", path: "/" + String(repeating: "%20", count: 31) + "w/", status: 404),
        Case(id: "32 times U+007F", path: "/" + String(repeating: "%7F", count: 32) + "/", status: 404),
        Case(id: "32 zeros", path: "/" + String(repeating: "0", count: 32) + "/", status: 404),
        Case(id: "a token with its second half only", path: "/SECOND/", status: 404),
        Case(id: "the page without the slash", path: "/TOKEN", status: 404),
        Case(id: "the style without the token", path: "/style.css", status: 404),
        Case(id: "a path below the page", path: "/TOKEN/x/y", status: 404),
        Case(id: "a folder above", path: "/TOKEN/../../etc/passwd", status: 404),
        Case(id: "an unknown page", path: "/TOKEN/unknown", status: 404),
        Case(id: "an image that there is not", path: "/TOKEN/image?name=..%2F..%2Fetc%2Fpasswd", status: 404),
    ]

    @Test func `requests with a foreign host, a foreign origin or a wrong token are refused with restrictive headers`()
        async throws
    {
        try await ServedPreview.run { preview in
            let port = try #require(preview.url.port)
            let end = preview.token.hasSuffix("0") ? "1" : "0"
            for test in Self.cases {
                func filled(_ text: String) -> String {
                    text.replacing("PORT", with: String(port)).replacing("TOKEN", with: preview.token)
                        .replacing("HALF", with: preview.token.prefix(16))
                        .replacing("CAPITAL", with: preview.token.uppercased())
                        .replacing("SECOND", with: String(repeating: "0", count: 16) + preview.token.suffix(16))
                        .replacing("WRONG", with: preview.token.dropLast() + end)
                }
                let answer = try await PreviewClient(port: port).send(
                    "GET", filled(test.path), host: test.host.map(filled),
                    headers: test.headers.map { ($0.0, filled($0.1)) })
                #expect(answer.status == test.status, "\(test.id)")
                expectSafe(answer, test.id)
                guard answer.status != 200, !test.path.contains("image") else { continue }
                #expect(answer.fields["content-type"] == "text/plain; charset=utf-8", "\(test.id)")
                #expect(answer.body.contains("'vitrine preview' prints"), "\(test.id)")
                #expect(!answer.body.contains(preview.token), "\(test.id)")
            }
        }
    }

    @Test(arguments: ["actions", "back", "scenes"])
    func `a preview form that another site submits is refused and changes nothing`(_ path: String) async throws {
        try await ServedPreview.run { preview in
            let revision = await preview.shop.revision
            for site in ["cross-site", "same-site"] {
                let answer = try await preview.send(
                    "POST", path, form: [("action", "restore"), ("step", "0"), ("name", "x"), ("do", "save")],
                    headers: [("Origin", "null"), ("Sec-Fetch-Site", site)])
                #expect(answer.status == 403)
            }
            #expect(await preview.shop.revision == revision)
            #expect(await preview.shop.scenes.isEmpty)
        }
    }

    @Test(arguments: [
        "", "parts", "products", "why", "image", "thumbnail", "changes", "style.css", "page.js", "icon.svg",
    ])
    func `POST requests to page paths are refused`(_ path: String) async throws {
        try await ServedPreview.run { preview in
            let answer = try await preview.send("POST", path, form: [])
            #expect(answer.status == 405)
            #expect(answer.fields["allow"] == "GET")
        }
    }

    @Test(arguments: ["actions", "back", "scenes"])
    func `GET requests to action paths are refused`(_ path: String) async throws {
        try await ServedPreview.run { preview in
            let answer = try await preview.send("GET", path)
            #expect(answer.status == 405)
            #expect(answer.fields["allow"] == "POST")
        }
    }

    @Test func `two previews have different tokens of 32 hexadecimal digits`() async throws {
        let tokens = try await [ServedPreview.run { $0.token }, ServedPreview.run { $0.token }]
        #expect(tokens[0] != tokens[1])
        #expect(tokens.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
    }
}

/// Expects the security headers of a page.
func expectSafe(_ answer: PreviewAnswer, _ id: String = "") {
    let policy = answer.fields["content-security-policy"] ?? ""
    #expect(policy.hasPrefix("default-src 'none'; "), "\(id)")
    #expect(!policy.contains("unsafe") && !policy.contains("data:") && !policy.contains("*"), "\(id)")
    for directive in ["base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"] {
        #expect(policy.contains(directive), "\(id)")
    }
    #expect(answer.fields["referrer-policy"] == "no-referrer", "\(id)")
    #expect(answer.fields["x-content-type-options"] == "nosniff", "\(id)")
    #expect(answer.fields["cross-origin-resource-policy"] == "same-origin", "\(id)")
    #expect(answer.fields["cache-control"] == "no-store", "\(id)")
    #expect(answer.fields["set-cookie"] == nil, "\(id)")
    #expect(answer.fields["access-control-allow-origin"] == nil, "\(id)")
}
