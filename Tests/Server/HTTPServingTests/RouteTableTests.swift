import HTTPTypes
import Testing
import VitrineHTTPServing

/// Endpoints by method and path.
struct RouteTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let method: HTTPRequest.Method
        let path: String
        /// Expected endpoint with the values of its parameters, `allow` with the methods of the path, or `unknown`.
        let expected: String

        init(_ id: String, _ path: String, _ expected: String, _ method: HTTPRequest.Method = .get) {
            (self.id, self.method, self.path, self.expected) = (id, method, path, expected)
        }

        var testDescription: String { id }
    }

    private static let routes: [(HTTPRequest.Method, String)] = [
        (.get, "/key"), (.put, "/names/{name}"), (.get, "/names/{name}"), (.get, "/names/list"),
        (.post, "/names/{name}/of/{owner}"), (.get, "/files/{folder}/{path...}"), (.get, "/files/{folder}/index"),
        (.post, "/forms"), (.get, "/pages/"),
    ]

    private static func table(answersHead: Bool) -> RouteTable<String> {
        var table = RouteTable<String>(answersHead: answersHead)
        for (method, path) in routes { table.add(method, path, "\(method.rawValue) \(path)") }
        return table
    }

    /// Returns the result of a search in the format of ``Case/expected``.
    private func result(
        _ method: HTTPRequest.Method, _ path: String, answersHead: Bool = false
    ) throws -> String {
        let target = try #require(RequestTarget(path))
        switch Self.table(answersHead: answersHead).match(method, target.path) {
        case .found(let endpoint, let parameters):
            return ([endpoint] + parameters.values + parameters.rest).joined(separator: ", ")
        case .otherMethod(let allowed): return "allow \(allowed)"
        case .unknownPath: return "unknown"
        }
    }

    static let cases = [
        Case("a path", "/key", "GET /key"), Case("a parameter", "/names/ann", "GET /names/{name}, ann"),
        Case("an empty parameter", "/names/", "GET /names/{name}, "),
        Case("a parameter with a slash that is encoded", "/names/a%2Fb", "GET /names/{name}, a/b"),
        Case("two parameters", "/names/ann/of/bob", "POST /names/{name}/of/{owner}, ann, bob", .post),
        Case("a path without a parameter before one with a parameter", "/names/list", "GET /names/list"),
        Case("a method that only the path with a parameter has", "/names/list", "allow GET", .put),
        Case("the rest of a path", "/files/maps/a/b.zip", "GET /files/{folder}/{path...}, maps, a, b.zip"),
        Case("one segment as the rest", "/files/maps/a", "GET /files/{folder}/{path...}, maps, a"),
        Case("a path before one with a rest", "/files/maps/index", "GET /files/{folder}/index, maps"),
        Case("no rest", "/files/maps", "unknown"), Case("an empty last segment", "/pages/", "GET /pages/"),
        Case("an unknown path", "/nothing", "unknown"), Case("a path with another case", "/Key", "unknown"),
        Case("a path with a slash at its end", "/key/", "unknown"), Case("an empty segment", "//key", "unknown"),
        Case("a path that is too short", "/names", "unknown"),
        Case("a path whose slash is encoded", "/names%2Fann", "unknown"),
        // The Kelvin sign, which Unicode takes for the letter K.
        Case("a path that is equal in another normalization", "/\u{212A}ey", "unknown"),
        Case("another method", "/key", "allow GET", .patch),
        Case("another method of a path with several", "/names/ann", "allow PUT, GET", .delete),
        Case("another method of a path with a rest", "/files/maps/a/b", "allow GET", .post),
        Case("a method in lower case", "/key", "allow GET", HTTPRequest.Method("get") ?? .trace),
        Case("HEAD", "/key", "allow GET", .head),
    ]

    @Test(arguments: cases)
    func `a route is found by method and path, and a wrong method results in the allowed methods`(_ test: Case)
        throws
    {
        #expect(try result(test.method, test.path) == test.expected)
    }

    @Test func `a route table that supports HEAD finds the GET route, and lists HEAD wherever GET is allowed`() throws {
        let cases: [(HTTPRequest.Method, String, String)] = [
            (.head, "/key", "GET /key"), (.head, "/names/ann", "GET /names/{name}, ann"),
            (.head, "/forms", "allow POST"), (.post, "/key", "allow GET, HEAD"),
            (.delete, "/names/ann", "allow PUT, GET, HEAD"), (.head, "/nothing", "unknown"),
        ]
        for (method, path, expected) in cases {
            #expect(try result(method, path, answersHead: true) == expected, "\(method) \(path)")
        }
    }

    @Test func `path parameters are read by name, and a route table lists its routes`() throws {
        guard case .found(_, let parameters) = Self.table(answersHead: false).match(.post, ["names", "a", "of", "b"])
        else {
            Issue.record("the path is unknown")
            return
        }
        #expect(parameters["name"] == "a")
        #expect(parameters["owner"] == "b")
        #expect(parameters["of"] == nil)
        #expect(Self.table(answersHead: true).names == Self.routes.map { "\($0.0.rawValue) \($0.1)" })
    }
}
