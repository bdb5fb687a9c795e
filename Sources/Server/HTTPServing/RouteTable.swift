package import HTTPTypes

/// Endpoints of a server by method and path.
///
/// Hummingbird's router is not used: it does not percent-decode path parameters, and treats a request with an
/// unsupported method like one for an unknown path, without a list of the supported methods.
package struct RouteTable<Endpoint: Sendable>: Sendable {
    /// Result of matching a request against the routes.
    package enum Match: Sendable {
        case found(Endpoint, PathParameters)
        /// The path exists, but has no endpoint for the method. `allowed` lists its methods, for the header field
        /// `Allow`.
        case otherMethod(allowed: String)
        case unknownPath
    }

    /// Names of the routes, with method and path, such as `GET /v1/me/documents/{name}`.
    package private(set) var names: [String] = []
    /// Routes without a rest parameter such as `{path...}`, by the number of segments of their paths.
    private var byLength: [Int: [Route<Endpoint>]] = [:]
    /// Routes with a rest parameter such as `{path...}`, which matches all remaining segments of a path.
    private var open: [Route<Endpoint>] = []
    private let answersHead: Bool

    /// - Parameter answersHead: `true` if the endpoint for `GET` of a path also answers requests with the method
    ///   `HEAD`.
    package init(answersHead: Bool = false) { self.answersHead = answersHead }

    /// Adds an endpoint.
    ///
    /// - Parameter path: Pattern of the path: `{name}` matches one segment with any value, and `{name...}` at the end
    ///   matches one or more segments.
    package mutating func add(_ method: HTTPRequest.Method, _ path: String, _ endpoint: Endpoint) {
        names.append("\(method.rawValue) \(path)")
        let route = Route(method: method, path: path, endpoint: endpoint)
        if route.hasRest {
            open.append(route)
        } else {
            byLength[route.segments.count, default: []].append(route)
        }
    }

    /// Finds the endpoint for a method and a path. If several patterns match the path, the one with the fewest
    /// parameters is used, and one with a rest parameter only if no other matches. The method is compared afterwards.
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

/// Values of the path parameters of a request, percent-decoded.
package struct PathParameters: Sendable {
    /// Values of the parameters for single segments, in the order of the path.
    package private(set) var values: [String] = []
    /// Segments that match the rest parameter of a path such as `/content/{path...}`.
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

    /// Value of a parameter for a single segment, by its name; `nil` if the route has no such parameter.
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
