internal import Foundation
package import HTTPTypes
package import Hummingbird
internal import Logging
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

/// Routes of a server: functions that answer requests, by path and method.
///
/// A path that has a `GET` also answers `HEAD`. Another path is answered with status 404, another method with 405.
package struct Routes: HTTPResponder {
    package typealias Context = AppRequestContext
    package typealias Answer = @Sendable (RouteCall) async throws -> Response

    private var routes: [Route] = []
    /// Indices of the routes by the number of segments of their paths, of those without a parameter for the rest.
    private var byLength: [Int: [Int]] = [:]
    /// Indices of the routes with a parameter for the rest of the path.
    private var open: [Int] = []
    /// Maximum time for the body of a request.
    private let bodyTime: Duration
    private let metrics: RequestMetrics
    private let unknown: PathMetrics

    package init(bodyTime: Duration = .seconds(20), metrics: RequestMetrics) {
        (self.bodyTime, self.metrics, unknown) = (bodyTime, metrics, metrics.ofUnknownPaths)
    }

    /// Names of the routes, with method and path, such as `GET /v1/me/documents/{name}`.
    package var names: [String] { routes.map(\.name) }

    /// Adds a route that anyone may use.
    ///
    /// - Parameters:
    ///   - path: Path in which `{name}` stands for one segment of any value, and `{name...}` at the end for one or
    ///     more.
    ///   - answer: Function that answers a request. It may throw ``Problem`` and `CustomerError`.
    package mutating func add(_ method: HTTPRequest.Method, _ path: String, _ answer: @escaping Answer) {
        let route = Route(method: method, path: path, metrics: metrics.path(path), answer: answer)
        routes.append(route)
        if route.hasRest {
            open.append(routes.count - 1)
        } else {
            byLength[route.segments.count, default: []].append(routes.count - 1)
        }
    }

    /// Adds a route for the holders of a credential.
    ///
    /// - Parameter answer: Function that answers a request of a holder.
    package mutating func add<Credential: RouteCredential>(
        _ method: HTTPRequest.Method, _ path: String, for credential: Credential,
        _ answer: @escaping @Sendable (RouteCall, Credential.Holder) async throws -> Response
    ) {
        add(method, path) { call in try await answer(call, credential.holder(of: call)) }
    }

    // MARK: Answers

    package func respond(to request: Request, context: AppRequestContext) async -> Response {
        let start = ContinuousClock.now
        var route: Route?
        var response: Response
        do {
            response = try await answer(request, context, &route)
        } catch let problem as Problem {
            response = problem.response(in: context)
        } catch let error as CustomerError {
            if error.code == .unavailable { context.logger.error("\(route?.name ?? "-"): \(error.reason)") }
            response = Problem(error).response(in: context)
        } catch {
            context.logger.error("\(route?.name ?? "-"): \(error)")
            let problem = Problem(.internalServerError, "internal", "The server could not answer the request.")
            response = problem.response(in: context)
        }
        if request.method == .head { response = response.createHeadResponse() }
        (route?.metrics ?? unknown).count(request.method, response.status, ContinuousClock.now - start)
        context.logger.info("\(route?.name ?? "-") \(response.status.code)")
        return response
    }

    private func answer(
        _ request: Request, _ context: AppRequestContext, _ known: inout Route?
    ) async throws -> Response {
        guard let target = RequestTarget(request.head.path ?? "") else {
            throw Problem.invalid("The address is not encoded correctly.")
        }
        let (found, allowed) = find(request.method, target.path)
        guard let found else {
            guard !allowed.isEmpty else { throw Problem.notFound("There is nothing at this address.") }
            var problem = Problem(.methodNotAllowed, "method-not-allowed", "This address has no such method.")
            problem.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
            throw problem
        }
        let route = routes[found]
        known = route
        let (parameters, rest) = route.values(in: target.path)
        return try await route.answer(
            RouteCall(
                request: request, context: context, parameters: parameters, rest: rest, query: target.query,
                bodyTime: bodyTime))
    }

    /// Finds the route with a method and a path. A path without parameters precedes one that has parameters, and one
    /// with a parameter for the rest is the last, whatever the methods of them are.
    ///
    /// - Returns: The index of the route, and the methods that the path has.
    private func find(
        _ method: HTTPRequest.Method, _ path: [String]
    ) -> (index: Int?, allowed: [HTTPRequest.Method]) {
        var (found, count): ([Int], Int) = ([], .max)
        for index in byLength[path.count] ?? [] where routes[index].matches(path) {
            let route = routes[index]
            if route.parameterCount < count { (found, count) = ([], route.parameterCount) }
            if route.parameterCount == count { found.append(index) }
        }
        if found.isEmpty { found = open.filter { routes[$0].matches(path) } }
        let wanted = method == .head ? .get : method
        if let index = found.first(where: { routes[$0].method == wanted }) { return (index, []) }
        var allowed = found.map { routes[$0].method }
        if allowed.contains(.get) { allowed.append(.head) }
        return (nil, allowed)
    }
}

/// Check of who makes a request.
package protocol RouteCredential: Sendable {
    associatedtype Holder: Sendable

    /// Returns who makes a request.
    ///
    /// - Throws: ``Problem`` or `CustomerError` if the request is to be refused.
    func holder(of call: RouteCall) async throws -> Holder
}

/// Function that answers the requests of one method and path.
private struct Route: Sendable {
    enum Segment: Hashable {
        case text(String)
        case parameter(String)
        case rest
    }

    let method: HTTPRequest.Method
    let name: String
    let segments: [Segment]
    let metrics: PathMetrics
    let answer: Routes.Answer

    init(method: HTTPRequest.Method, path: String, metrics: PathMetrics, answer: @escaping Routes.Answer) {
        (self.method, name, self.metrics, self.answer) = (method, "\(method.rawValue) \(path)", metrics, answer)
        segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.first == "{" else { return .text(String(segment)) }
            return segment.hasSuffix("...}") ? .rest : .parameter(String(segment.dropFirst().dropLast()))
        }
    }

    var hasRest: Bool { segments.last == .rest }

    var parameterCount: Int {
        segments.count { if case .parameter = $0 { true } else { false } }
    }

    func matches(_ path: [String]) -> Bool {
        guard hasRest ? path.count >= segments.count : path.count == segments.count else { return false }
        for (segment, expected) in zip(path, segments) {
            if case .text(let text) = expected, !segment.utf8.elementsEqual(text.utf8) { return false }
        }
        return true
    }

    func values(in path: [String]) -> (parameters: [String: String], rest: [String]) {
        var parameters: [String: String] = [:]
        for (segment, expected) in zip(path, segments) {
            if case .parameter(let name) = expected { parameters[name] = segment }
        }
        return (parameters, hasRest ? Array(path.dropFirst(segments.count - 1)) : [])
    }
}
