import Testing
import VitrineHTTPServing

/// Reading of the targets of requests.
struct RequestTargetTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let target: String
        /// Segments of the path; `nil` if the target is refused.
        let path: [String]?
        var query: [[String]] = []

        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "the root", target: "/", path: [""]),
        Case(id: "a path", target: "/v1/key", path: ["v1", "key"]),
        Case(id: "a slash at the end", target: "/v1/key/", path: ["v1", "key", ""]),
        Case(id: "an empty segment", target: "/v1//key", path: ["v1", "", "key"]),
        Case(id: "a slash that is encoded", target: "/v1%2Fkey", path: ["v1/key"]),
        Case(id: "an encoding that is encoded", target: "/%2565", path: ["%65"]),
        Case(id: "a plus sign in the path", target: "/a+b", path: ["a+b"]),
        Case(id: "text of UTF-8", target: "/%C3%A9", path: ["\u{E9}"]),
        Case(id: "a segment with dots", target: "/../%2e%2e", path: ["..", ".."]),
        Case(id: "an empty query", target: "/a?", path: ["a"]),
        Case(
            id: "a query", target: "/a?x=1&y&=2&&x=3", path: ["a"],
            query: [["x", "1"], ["y", ""], ["", "2"], ["x", "3"]]),
        Case(id: "a plus sign in the query", target: "/a?x+y=1+%2B", path: ["a"], query: [["x y", "1 +"]]),
        Case(id: "an equals sign in a value", target: "/a?x=1=2", path: ["a"], query: [["x", "1=2"]]),
        Case(id: "a question mark in a value", target: "/a?x=?", path: ["a"], query: [["x", "?"]]),
        Case(
            id: "8 KiB", target: "/" + String(repeating: "a", count: 8_191),
            path: [String(repeating: "a", count: 8_191)]),
        Case(id: "more than 8 KiB", target: "/" + String(repeating: "a", count: 8_192), path: nil),
        Case(id: "nothing", target: "", path: nil), Case(id: "no slash", target: "v1/key", path: nil),
        Case(id: "a star", target: "*", path: nil), Case(id: "a percent sign alone", target: "/%", path: nil),
        Case(id: "one digit", target: "/%3", path: nil), Case(id: "no digits", target: "/%zz", path: nil),
        Case(id: "digits of another encoding", target: "/%u0031", path: nil),
        Case(id: "U+0000", target: "/v1/%00", path: nil), Case(id: "U+0000 in a query", target: "/?a%00=b", path: nil),
        Case(id: "a byte that is not UTF-8", target: "/%FF", path: nil),
        Case(id: "UTF-8 that is too long", target: "/%C0%80", path: nil),
        Case(id: "a query that is encoded wrongly", target: "/a?x=%FF", path: nil),
    ]

    @Test(arguments: cases)
    func `a valid request target is split and then percent-decoded once, and an invalid one is refused`(_ test: Case) {
        let target = RequestTarget(test.target)
        #expect(target?.path == test.path)
        if let target { #expect(target.query.map { [$0.name, $0.value] } == test.query) }
    }

    @Test func `the first value of a repeated query parameter is used`() throws {
        let target = try #require(RequestTarget("/?a=1&b=2&a=3"))
        #expect(target.fields == ["a": "1", "b": "2"])
    }
}
