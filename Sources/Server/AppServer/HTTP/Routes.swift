internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import Logging
package import VitrineAppServerAPI
internal import VitrineAppServerRecords
package import VitrineHTTPServing
internal import VitrineSupport

/// Routes of a server: handlers of requests, by path and method.
///
/// A path with a handler for `GET` also answers `HEAD`. A request for an unknown path is answered with status 404, and
/// a request with an unknown method for a known path with status 405.
package struct Routes: HTTPResponder {
    package typealias Context = ConnectionContext
    package typealias Answer = @Sendable (RouteCall) async throws -> Response

    /// Handler of the requests with one method and path.
    private struct Route: Sendable {
        let name: String
        let metrics: PathMetrics
        /// `true` if the requests count against the limit of their address.
        let isCounted: Bool
        let answer: Answer
    }

    /// Endpoint of a route.
    package struct Registration: Sendable {
        package let endpoint: EndpointSummary
        /// `true` if a credential is checked before the handler is called.
        package let isAuthenticated: Bool
    }

    private var table = RouteTable<Route>(answersHead: true)
    /// Endpoints of the routes, in the order in which they were added.
    package private(set) var endpoints: [Registration] = []
    /// Maximum time to receive the body of a request.
    private let bodyTime: TimeLimit
    private let metrics: RequestMetrics
    private let unknown: PathMetrics
    private let count: Count

    package typealias Count = @Sendable (Request, ConnectionContext) throws -> Void

    /// - Parameters:
    ///   - bodyTime: Maximum time to receive the body of a request.
    ///   - count: Function that counts a request against the limit of its address. It may throw ``ErrorResponse``.
    package init(bodyTime: TimeLimit, metrics: RequestMetrics, count: @escaping Count = { _, _ in }) {
        (self.bodyTime, self.metrics, unknown, self.count) = (bodyTime, metrics, metrics.ofUnknownPaths, count)
    }

    /// Adds the route of an endpoint without authentication.
    ///
    /// - Parameters:
    ///   - isCounted: `false` if the requests do not count against the limit of their address, so that monitoring works
    ///     while an address is beyond its limit.
    ///   - answer: Handler of the requests. It may throw ``ErrorResponse`` and `CustomerError`.
    package mutating func add<Body: WireBody, Reply: WireBody>(
        _ endpoint: Endpoint<Body, Reply>, isCounted: Bool = true,
        _ answer: @escaping @Sendable (EndpointCall<Body, Reply>) async throws -> Response
    ) {
        add(endpoint.summary, isAuthenticated: false, isCounted: isCounted) { call in
            try await answer(EndpointCall(call, endpoint))
        }
    }

    /// Adds the route of an endpoint that requires a credential.
    ///
    /// - Parameter answer: Handler of the requests, which also receives the authenticated holder of the credential.
    package mutating func add<Body: WireBody, Reply: WireBody, Credential: RouteCredential>(
        _ endpoint: Endpoint<Body, Reply>, for credential: Credential,
        _ answer: @escaping @Sendable (EndpointCall<Body, Reply>, Credential.Holder) async throws -> Response
    ) {
        add(endpoint.summary, isAuthenticated: true, isCounted: true) { call in
            try await answer(EndpointCall(call, endpoint), credential.holder(of: call))
        }
    }

    private mutating func add(
        _ endpoint: EndpointSummary, isAuthenticated: Bool, isCounted: Bool, _ answer: @escaping Answer
    ) {
        endpoints.append(Registration(endpoint: endpoint, isAuthenticated: isAuthenticated))
        table.add(
            endpoint.method, endpoint.path,
            Route(
                name: "\(endpoint.method.rawValue) \(endpoint.path)", metrics: metrics.path(endpoint.path),
                isCounted: isCounted, answer: answer))
    }

    // MARK: Answers

    package func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let start = ContinuousClock.now
        var route: Route?
        var response: Response
        do {
            response = try await answer(request, context, &route)
        } catch let errorResponse as ErrorResponse {
            response = try errorResponse.response(in: context)
        } catch let refusal as BodyRefusal {
            response = try ErrorResponse(refusal).response(in: context)
        } catch let error as CustomerError {
            if error.code == .unavailable { context.logger.error("\(route?.name ?? "-"): \(error.reason)") }
            response = try ErrorResponse(error).response(in: context)
        } catch {
            context.logger.error("\(route?.name ?? "-"): \(error)")
            let errorResponse = ErrorResponse(.internal, "The server could not answer the request.")
            response = try errorResponse.response(in: context)
        }
        if request.method == .head { response = response.createHeadResponse() }
        (route?.metrics ?? unknown).count(request.method, response.status, ContinuousClock.now - start)
        context.logger.info("\(route?.name ?? "-") \(response.status.code)")
        return response
    }

    private func answer(
        _ request: Request, _ context: ConnectionContext, _ known: inout Route?
    ) async throws -> Response {
        guard request.head.hasOneHost else { throw ErrorResponse.invalid(HTTPRequest.hostRule) }
        guard let target = RequestTarget(request.head.path ?? "") else {
            try count(request, context)
            throw ErrorResponse.invalid("The address is not encoded correctly.")
        }
        let match = table.match(request.method, target.path)
        if case .found(let route, _) = match, !route.isCounted {} else { try count(request, context) }
        switch match {
        case .found(let route, let parameters):
            known = route
            return try await route.answer(
                RouteCall(
                    request: request, context: context, parameters: parameters, query: target.query, bodyTime: bodyTime)
            )
        case .otherMethod(let allowed):
            var errorResponse = ErrorResponse(.methodNotAllowed, "This address has no such method.")
            errorResponse.headers[.allow] = allowed
            throw errorResponse
        case .unknownPath: throw ErrorResponse.notFound("There is nothing at this address.")
        }
    }
}

/// Authentication of requests, for example by the token of a device or operator.
package protocol RouteCredential: Sendable {
    associatedtype Holder: Sendable

    /// Authenticates the sender of a request, and returns it.
    ///
    /// - Throws: ``ErrorResponse`` or `CustomerError` if the sender has no valid credential for the request.
    func holder(of call: RouteCall) async throws -> Holder
}
