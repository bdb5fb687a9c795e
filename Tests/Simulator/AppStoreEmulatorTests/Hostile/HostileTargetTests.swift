import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineTestSupport

/// Requests with an invalid target or header, and data that is not HTTP.
@Suite(.hangLimit) struct HostileTargetTests {
    @Test func `a request path is split before it is percent-decoded once, and unknown paths are refused`() async throws
    {
        try await HostileStore.unharmed { store in
            let path = "/inApps/v1/transactions"
            let (id, first) = (store.coins, store.coins.prefix(1))
            let cases: [(target: String, expected: Int)] = [
                ("\(path)/\(id)", 200), ("\(path)/%3\(first)\(id.dropFirst())", 200),
                ("/%69nApps/v1/transactions/\(id)", 200),
                ("\(path)/\(id)?", 200), ("\(path)/\(id)?a=b&&=&c", 200), ("\(path)/\(id)?revision=x", 200),
                ("http://localhost\(path)/\(id)", 200),
                // Decoded twice, these would name the transaction too.
                ("\(path)/%253\(first)\(id.dropFirst())", 4_000_006),
                ("\(path)/%25253\(first)\(id.dropFirst())", 4_000_006),
                ("/inApps/v1%2Ftransactions/\(id)", 404), ("\(path)%2F\(id)", 404), ("\(path)/\(id)%2F", 4_000_006),
                ("\(path)/\(id)%2Ffinish", 4_000_006), ("\(path)/a%2F..%2F\(id)", 4_000_006),
                ("\(path)/\(id)%00", 4_000_000), ("\(path)/%00", 4_000_000), ("/%00", 4_000_000),
                ("\(path)/\(id)%", 4_000_000), ("\(path)/\(id)%3", 4_000_000), ("\(path)/\(id)%3g", 4_000_000),
                ("\(path)/\(id)%u0031", 4_000_000), ("\(path)/\(id)%FF", 4_000_000), ("\(path)/\(id)%C0%80", 4_000_000),
                ("\(path)/\(id)?%", 4_000_000), ("\(path)/\(id)?a=%FF", 4_000_000), ("\(path)/\(id)?a%00=b", 4_000_000),
                ("\(path)/../transactions/\(id)", 404), ("\(path)/%2e%2e/transactions/\(id)", 404),
                ("/./inApps/v1/transactions/\(id)", 404), ("/../../../../etc/passwd", 404),
                ("/..%2f..%2f..%2fetc%2fpasswd", 404), ("/%2e%2e/%2e%2e/etc/passwd", 404),
                ("/..\\..\\etc\\passwd", 404),
                ("\(path)/..", 4_000_006), ("\(path)/../../..", 404), ("\(path)/%2e%2e%2f%2e%2e", 4_000_006),
                ("/", 404), ("//", 404), ("/inApps", 404), ("/inApps/v1", 404), (path, 404), ("\(path)//\(id)", 404),
                ("/\(path)/\(id)", 404), ("\(path)/\(id)/", 404), ("\(path)/\(id)/finish/", 404),
                ("/inapps/v1/transactions/\(id)", 404),
                ("/inApps/V1/transactions/\(id)", 404), ("/inApps/v3/transactions/\(id)", 404), ("/favicon.ico", 404),
                ("/inApps/v1/transactions;a=b/\(id)", 404), ("\(path)/\(id);a=b", 4_000_006),
                ("\(path)/\(id)#x", 4_000_006),
                ("*", 4_000_000), ("inApps", 400), ("", 400),
                ("\(path)/\(id)?\(String(repeating: "a", count: 9_000))", 4_000_000),
                ("/\(String(repeating: "a/", count: 2_000))", 404), ("/\(String(repeating: "/", count: 8_000))", 404),
                ("\(path)/\(id)?\(String(repeating: "a&", count: 4_000))", 200),
                ("\(path)/\(id)?\(String(repeating: "a", count: 1_000_000))", 400),
            ]
            for entry in cases {
                let exchange = try await store.raw.send(store.request("GET", entry.target))
                #expect(exchange.answers.map(\.verdict) == [entry.expected], "\(entry.target.prefix(120))")
                #expect(exchange.rest.isEmpty, "\(entry.target.prefix(120))")
            }
        }
    }

    @Test func `a path that is requested with an unsupported method gets 405 with the allowed methods`() async throws {
        try await HostileStore.unharmed { store in
            let id = store.coins
            let cases: [(path: String, allowed: Set<String>)] = [
                ("/inApps/v1/transactions/\(id)", ["GET"]), ("/inApps/v1/transactions/\(id)/finish", ["POST"]),
                ("/inApps/v1/transactions/\(id)/appAccountToken", ["PUT"]), ("/inApps/v2/history/\(id)", ["GET"]),
                ("/inApps/v1/subscriptions/extend/mass", ["POST"]),
                ("/inApps/v1/notifications/history", ["POST"]), ("/ocsp", ["GET", "POST"]),
            ]
            let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]
            for entry in cases {
                for method in methods where !entry.allowed.contains(method) {
                    let exchange = try await store.raw.send(store.request(method, entry.path, "Content-Length: 0"))
                    let answer = try #require(exchange.answers.first)
                    #expect((answer.status, answer.body) == (405, Data()), "\(method) \(entry.path)")
                    let names = (answer.fields["allow"] ?? "").components(separatedBy: ", ")
                    #expect(
                        Set(names) == entry.allowed && names.count == entry.allowed.count, "\(method) \(entry.path)")
                }
            }
            for method in methods {
                let exchange = try await store.raw.send(
                    store.request(method, "/inApps/v1/unknown", "Content-Length: 0"))
                #expect(exchange.answers.map(\.status) == [404], "\(method)")
            }
        }
    }

    @Test func `each operation checks the token before the request, and an unknown path gets 404 without a token`()
        async throws
    {
        try await HostileStore.unharmed { store in
            for operation in EmulatorOperation.all {
                let parts = operation.name.split(separator: " ")
                let path = parts[1].split(separator: "/").map { $0.first == "{" ? "%20" : $0 }.joined(separator: "/")
                let request =
                    "\(parts[0]) /\(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nx{"
                let exchange = try await store.raw.send(request)
                #expect(exchange.answers.map(\.status) == [401], "\(operation.name)")
            }
            let exchange = try await store.raw.send("GET /inApps/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(exchange.answers.map(\.status) == [404])
        }
    }

    @Test func `an authorization token with deeply nested JSON is refused`() async throws {
        try await HostileStore.unharmed { store in
            let good = store.caller.token.split(separator: ".").map(String.init)
            for levels in [100, 511, 512, 513, 514, 1_000] {
                for (open, encoding) in [("[", String.Encoding.utf8), (#"{"a":["#, .utf8), ("[", .utf16LittleEndian)] {
                    let text = String(repeating: open, count: levels)
                    let part = TokenForge.encoded(try #require(text.data(using: encoding)))
                    for token in ["\(part).\(good[1]).\(good[2])", "\(good[0]).\(part).\(good[2])"] {
                        let request = store.request("GET", "/inApps/v2/history/\(store.coins)")
                            .replacing(store.caller.token, with: token)
                        let exchange = try await store.raw.send(request)
                        #expect(exchange.answers.map(\.verdict) == [401], "\(levels) levels of \(open)")
                    }
                }
            }
        }
    }

    @Test func `a malformed HTTP request is refused, and its connection is closed`() async throws {
        try await HostileStore.unharmed { store in
            let path = "/inApps/v1/transactions/\(store.coins)"
            let finish = "\(path)/finish"
            let ending = " HTTP/1.1\r\nHost: a\r\n\r\n"
            let many = (0..<20_000).map { "X-\($0): 1\r\n" }.joined()
            let cases: [(id: String, bytes: Data)] = [
                ("a TLS hello", Data([0x16, 3, 1, 2, 0, 1, 0] + [UInt8](repeating: 0, count: 200))),
                ("zeros", Data(count: 10_000)), ("a letter's end", Data("\r\n\r\n\r\nabc\r\n\r\n".utf8)),
                ("a protocol of mail", Data("EHLO localhost\r\n\r\n".utf8)), ("HTTP/0.9", Data("GET /\r\n\r\n".utf8)),
                ("HTTP/2", Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)),
                ("HTTP/3.0", Data("GET / HTTP/3.0\r\n\r\n".utf8)),
                ("no version", Data("GET \(path) HTTP\r\n\r\n".utf8)),
                ("JSON", Data(#"{"a": 1}"#.utf8) + Data("\r\n\r\n".utf8)),
                ("an unknown method", Data(store.request("BREW", path).utf8)),
                ("a method in lower case", Data(store.request("get", path).utf8)),
                (
                    "a header of 1 MB",
                    Data(store.request("GET", path, "X: \(String(repeating: "a", count: 1 << 20))").utf8)
                ),
                (
                    "a name of 1 MB",
                    Data(store.request("GET", path, "\(String(repeating: "a", count: 1 << 20)): x").utf8)
                ),
                ("20,000 headers", Data("GET \(path) HTTP/1.1\r\nHost: a\r\n\(many)\r\n".utf8)),
                ("a header without colon", Data(store.request("GET", path, "abc").utf8)),
                ("a blank before the colon", Data(store.request("POST", finish, "Content-Length : 0").utf8)),
                ("NUL in a header", Data(store.request("GET", path, "X: a\0b").utf8)),
                ("a folded header", Data(store.request("GET", path, "X: a\r\n b").utf8)),
                ("NUL in the target", Data(store.request("GET", "\(path)\0").utf8)),
                ("no UTF-8 in the target", Data("GET \(path)".utf8) + [0xFF, 0xFE] + Data(ending.utf8)),
                ("no UTF-8 in the query", Data("GET \(path)?a=".utf8) + [0xC3] + Data(ending.utf8)),
                (
                    "two lengths",
                    Data(store.request("POST", finish, "Content-Length: 0", "Content-Length: 5", body: "hello").utf8)
                ),
                (
                    "length and chunks",
                    Data(
                        store.request(
                            "POST", finish, "Content-Length: 5", "Transfer-Encoding: chunked", body: "0\r\n\r\n"
                        ).utf8)
                ),
                ("a negative length", Data(store.request("POST", finish, "Content-Length: -5", body: "hello").utf8)),
                (
                    "an enormous length",
                    Data(store.request("POST", finish, "Content-Length: 99999999999999999999").utf8)
                ),
                ("a length as a word", Data(store.request("POST", finish, "Content-Length: five").utf8)),
                (
                    "no size of a chunk",
                    Data(
                        store.request(
                            "PUT", finish.replacing("finish", with: "appAccountToken"), "Transfer-Encoding: chunked",
                            body: "zz\r\n{}\r\n0\r\n\r\n"
                        ).utf8)
                ),
                (
                    "a chunk of enormous size",
                    Data(
                        store.request(
                            "PUT", finish.replacing("finish", with: "appAccountToken"), "Transfer-Encoding: chunked",
                            body: "fffffffffffffffff\r\n"
                        ).utf8)
                ),
            ]
            for entry in cases {
                let exchange = try await store.raw.send([entry.bytes])
                let statuses = exchange.answers.map(\.status)
                #expect(statuses == [400] || statuses.isEmpty && exchange.isReset, "\(entry.id): \(statuses)")
            }
        }
    }

    @Test func `a request without exactly one host is refused, and unusual headers and an older version are accepted`()
        async throws
    {
        try await HostileStore.unharmed { store in
            let path = "/inApps/v1/transactions/\(store.coins)"
            let host = "Host: localhost\r\n"
            let usual = store.request("GET", path)
            let cases: [(id: String, text: String, expected: Int)] = [
                ("no host", usual.replacing(host, with: ""), 4_000_000),
                ("an empty host", usual.replacing(host, with: "Host:\r\n"), 4_000_000),
                ("another host", usual.replacing(host, with: "Host: api.storekit.apple.com\r\n"), 200),
                ("two hosts", usual.replacing(host, with: host + host), 4_000_000),
                ("an empty line first", "\r\n" + usual, 200),
                ("names in upper case", usual.replacing("Authorization", with: "AUTHORIZATION"), 200),
                ("two tokens", usual.replacing(host, with: "Authorization: Bearer x\r\n" + host), 401),
                ("an upgrade", usual.replacing(host, with: "Upgrade: h2c\r\n" + host), 200),
                ("a range", usual.replacing(host, with: "Range: bytes=0-1\r\n" + host), 200),
                ("a condition", usual.replacing(host, with: "If-None-Match: *\r\n" + host), 200),
                ("another type", usual.replacing(host, with: "Accept: text/html\r\n" + host), 200),
                ("a method in a header", usual.replacing(host, with: "X-HTTP-Method-Override: DELETE\r\n" + host), 200),
                ("a body of a GET", usual.replacing(host, with: "Content-Length: 5\r\n" + host) + "hello", 200),
                ("HTTP/1.0", usual.replacing("HTTP/1.1", with: "HTTP/1.0"), 200),
                (
                    "HTTP/1.0 without a host",
                    usual.replacing("HTTP/1.1", with: "HTTP/1.0").replacing(host, with: ""), 200
                ),
            ]
            for entry in cases {
                let exchange = try await store.raw.send(entry.text)
                #expect(exchange.answers.map(\.verdict) == [entry.expected], "\(entry.id)")
            }
        }
    }
}
