package import HTTPTypes

/// Endpoints of a server by method and path.
///
/// The router of Hummingbird is not used: it decodes no parameter of a path, and answers a known path with another method
/// as an unknown path, without saying which methods there are.
package struct RouteTable<Endpoint: Sendable>: Sendable {
    /// Result of a search.
    package enum Match: Sendable {
        case found(Endpoint, PathParameters)
        /// The path has no such method. The value of the header field `Allow` names those that it has.
        case otherMethod(allowed: String)
        case unknownPath
    }

    /// Names of the routes, with method and path, such as `GET /v1/me/documents/{name}`.
    package private(set) var names: [String] = []
    /// Routes by the number of segments of their paths, of those without a parameter for the rest.
    private var byLength: [Int: [Route<Endpoint>]] = [:]
    /// Routes with a parameter for the rest of the path.
    private var open: [Route<Endpoint>] = []
    private let answersHead: Bool

    /// - Parameter answersHead: `true` if a path that has a `GET` also has the method `HEAD`, with the same endpoint.
    package init(answersHead: Bool = false) { self.answersHead = answersHead }

    /// Adds an endpoint.
    ///
    /// - Parameter path: Path in which `{name}` stands for one segment of any value, and `{name...}` at the end for one or
    ///   more.
    package mutating func add(_ method: HTTPRequest.Method, _ path: String, _ endpoint: Endpoint) {
        names.append("\(method.rawValue) \(path)")
        let route = Route(method: method, path: path, endpoint: endpoint)
        if route.hasRest {
            open.append(route)
        } else {
            byLength[route.segments.count, default: []].append(route)
        }
    }

    /// Finds the endpoint with a method and a path. A path without parameters precedes one that has parameters, and one
    /// with a parameter for the rest is the last, whatever the methods of them are.
    ///
    /// - Parameter path: Segments of the path, decoded.
    package func match(_ method: HTTPRequest.Method, _ path: [String]) -> Match {
        var found: [Route<Endpoint>] = []
        for route in byLength[path.count] ?? [] where route.matches(path) {
            let count = found.first?.parameterCount ?? route.parameterCount
            if route.parameterCount < count { found = [] }
            if route.parameterCount <= count { found.append(route) }
        }
        if found.isEmpty { found = open.filter { $0.matches(path) } }
        guard !found.isEmpty else { return .unknownPath }
        let wanted = answersHead && method == .head ? .get : method
        if let route = found.first(where: { $0.method == wanted }) {
            return .found(route.endpoint, PathParameters(route.segments, of: path))
        }
        var allowed = found.map(\.method)
        if answersHead, allowed.contains(.get) { allowed.append(.head) }
        return .otherMethod(allowed: allowed.map(\.rawValue).joined(separator: ", "))
    }
}

/// Values of the parameters in a path, decoded once.
package struct PathParameters: Sendable {
    /// Values in the order of the path, without those of the rest.
    package private(set) var values: [String] = []
    /// Segments that stand for the last parameter of a path such as `/content/{path...}`.
    package private(set) var rest: [String] = []
    private var names: [String] = []

    fileprivate init(_ segments: [RouteSegment], of path: [String]) {
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .text: break
            case .parameter(let name):
                names.append(name)
                values.append(path[index])
            case .rest: rest = Array(path[index...])
            }
        }
    }

    /// Value of a parameter by its name.
    package subscript(name: String) -> String? { names.firstIndex(of: name).map { values[$0] } }
}

private enum RouteSegment: Hashable, Sendable {
    case text(String)
    case parameter(String)
    case rest
}

private struct Route<Endpoint: Sendable>: Sendable {
    let method: HTTPRequest.Method
    let segments: [RouteSegment]
    let parameterCount: Int
    let endpoint: Endpoint

    init(method: HTTPRequest.Method, path: String, endpoint: Endpoint) {
        (self.method, self.endpoint) = (method, endpoint)
        segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.first == "{" else { return .text(String(segment)) }
            return segment.hasSuffix("...}") ? .rest : .parameter(String(segment.dropFirst().dropLast()))
        }
        parameterCount = segments.count { if case .parameter = $0 { true } else { false } }
    }

    var hasRest: Bool { segments.last == .rest }

    func matches(_ path: [String]) -> Bool {
        guard hasRest ? path.count >= segments.count : path.count == segments.count else { return false }
        for (segment, expected) in zip(path, segments) {
            // Strings that are equal may differ in their normalization.
            if case .text(let text) = expected, !segment.utf8.elementsEqual(text.utf8) { return false }
        }
        return true
    }
}
