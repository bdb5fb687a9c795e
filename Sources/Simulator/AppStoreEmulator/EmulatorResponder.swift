internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Responder that handles the requests of the app's server, and OCSP requests for the status of the store's
/// certificates.
final class EmulatorResponder: HTTPResponder {
    typealias Context = ConnectionContext

    /// Maximum size of the body of a request, in bytes. Apple's clients send less than a kilobyte.
    private static let bodyLimit = 64 * 1024

    /// Endpoint of the server: an operation of the API, or the status of certificates.
    private enum Endpoint {
        case operation(EmulatorOperation)
        case certificateStatus
    }

    private static let routes: RouteTable<Endpoint> = {
        var routes = RouteTable<Endpoint>()
        for operation in EmulatorOperation.all {
            routes.add(operation.method, operation.path, .operation(operation))
            // Some clients end this path, and no other one, with a slash.
            if operation.path.hasSuffix("/extend/mass") {
                routes.add(operation.method, "\(operation.path)/", .operation(operation))
            }
        }
        // A question in the address is in base64, which may contain slashes (RFC 6960, appendix A.1).
        for path in ["/\(StatusOfCertificates.path)", "/\(StatusOfCertificates.path)/{question...}"] {
            for method in [HTTPRequest.Method.get, .post] { routes.add(method, path, .certificateStatus) }
        }
        return routes
    }()

    private let store: SimulatedStore
    private let authorization: Authorization
    private let limits: RateLimits?
    private let answers = ResponseCache()
    private let stateWithoutFailure = Locked<StoreState?>(nil)
    private let nextChange = Locked<(state: StoreState, date: Date)?>(nil)
    private let options: AppStoreEmulatorOptions
    private let bodyTime: TimeLimit
    private let logger: Logger

    init(store: SimulatedStore, options: AppStoreEmulatorOptions, logger: Logger) {
        (self.store, self.options, self.logger) = (store, options, logger)
        bodyTime = TimeLimit(options.bodyTime)
        authorization = Authorization(store: store, now: options.now)
        limits = options.limitsRates ? RateLimits(environment: store.environment) : nil
    }

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        do {
            return try await answer(request)
        } catch let error as ServerError {
            return try .refusal(error)
        } catch let refusal as BodyRefusal {
            return try .refusal(ServerError(refusal))
        } catch let error as SimulatedStoreError {
            logger.error("\(error.reason)")
            return try .refusal(ServerError(.internalError, "The store's state cannot be used."))
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        guard request.head.hasOneHost else {
            throw ServerError(.badRequest, "Invalid request. \(HTTPRequest.hostRule)")
        }
        guard let target = RequestTarget(request.head.path ?? "") else {
            throw ServerError(.badRequest, "Invalid request. The address is not encoded correctly.")
        }
        switch Self.routes.match(request.method, target.path) {
        case .found(.operation(let operation), let parameters):
            return try await perform(operation, request, target, parameters.values)
        case .found(.certificateStatus, let parameters):
            return try await statusOfCertificates(request, parameters.rest)
        case .otherMethod(let allowed): return Response(status: .methodNotAllowed, headers: [.allow: allowed])
        case .unknownPath: return Response(status: .notFound)
        }
    }

    private func perform(
        _ operation: EmulatorOperation, _ request: Request, _ target: RequestTarget, _ parameters: [String]
    ) async throws -> Response {
        switch try await authorization.check(request.headers.bearer) {
        case .accepted: break
        case .unauthenticated: return unauthenticated
        case .unknownApp: throw ServerError(.appNotFound, "The store has no app with this bundle id.")
        }
        if let date = limits?.count(operation, at: options.now()) { return try Self.tooManyRequests(until: date) }
        let (state, path) = (try store.state(), request.head.path ?? "")
        if operation.onlyReads, let stored = answers.answer(to: path, in: state, at: options.now()) {
            return .json(bytes: stored, status: operation.status)
        }
        if let failure = try await failure(in: state), let response = try response(to: failure) { return response }
        let body =
            operation.method == .get
            ? Data() : try await request.readBody(upTo: Self.bodyLimit, within: bodyTime)
        let value = try await operation.run(
            store.serverAPI,
            OperationRequest(parameters: parameters, query: ServerQuery(target.query), body: body))
        guard let value else { return Response(status: operation.status) }
        let json = try ByteBuffer(json: value)
        if operation.onlyReads {
            answers.store(json, to: path, in: state, until: try await nextChangeByTime(in: state))
        }
        return .json(bytes: json, status: operation.status)
    }

    /// Returns the simulated failure of a request, if there is one, and decrements the number of remaining failures. A
    /// state of the store without a failure is cached and not read again.
    private func failure(in state: StoreState) async throws -> SimulatedFailure? {
        guard stateWithoutFailure.withLock({ $0 }) != state else { return nil }
        if let failure = try await store.consumeServerFailure() { return failure }
        stateWithoutFailure.withLock { $0 = state }
        return nil
    }

    /// Returns the date of the next change of the store that happens without a request, such as a renewal. The date is
    /// cached for each state of the store.
    private func nextChangeByTime(in state: StoreState) async throws -> Date {
        if let known = nextChange.withLock({ $0 }), known.state == state { return known.date }
        let date = try await store.nextChangeByTime()
        nextChange.withLock { $0 = (state, date) }
        return date
    }

    // MARK: Refusals

    private var unauthenticated: Response {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let identifier = String((0..<26).compactMap { _ in characters.randomElement() })
        return Response(
            "text/plain", ByteBuffer(string: "Unauthenticated\n\nRequest ID: \(identifier).0.0\n"),
            status: .unauthorized)
    }

    /// Returns the response to a request with a simulated failure; `nil` for a failure that does not concern requests.
    private func response(to failure: SimulatedFailure) throws -> Response? {
        switch failure {
        case .serverError: throw ServerError(.internalError, "An internal error was set for this request.")
        case .serverErrorRetryable:
            throw ServerError(.internalErrorRetryable, "An internal error was set for this request; try again.")
        case .accountNotFound: throw ServerError(.accountNotFound, "The account was not found.")
        case .accountNotFoundRetryable: throw ServerError(.accountNotFoundRetryable, "The account was not found now.")
        case .appNotFoundRetryable: throw ServerError(.appNotFoundRetryable, "The app was not found now.")
        case .originalTransactionNotFoundRetryable:
            throw ServerError(
                .originalTransactionIDNotFoundRetryable, "The original transaction was not found now.")
        case .rateLimit: return try Self.tooManyRequests(until: options.now() + 60)
        case .unauthenticated: return unauthenticated
        default: return nil
        }
    }

    private static func tooManyRequests(until date: Date) throws -> Response {
        var response = try Response.refusal(ServerError(.rateLimitExceeded, "Rate limit exceeded."))
        // Apple gives a UNIX time in milliseconds here, not the seconds of RFC 9110.
        response.headers[.retryAfter] = String(Int64(date.timeIntervalSince1970 * 1_000))
        return response
    }

    // MARK: Certificates

    private func statusOfCertificates(_ request: Request, _ path: [String]) async throws -> Response {
        let question =
            request.method == .get
            ? Data(base64Encoded: path.joined(separator: "/")) ?? Data()
            : try await request.readBody(upTo: Self.bodyLimit, within: bodyTime)
        let answer = store.answer(certificateStatusRequest: question, at: options.now())
        return Response("application/ocsp-response", ByteBuffer(bytes: answer))
    }
}

/// Path of requests for the status of the store's certificates.
enum StatusOfCertificates {
    static let path = "ocsp"
}

extension ServerError {
    /// Creates the error response for a body that is refused.
    fileprivate init(_ refusal: BodyRefusal) {
        switch refusal {
        case .tooLarge(let limit, _):
            self.init(.badRequest, "Invalid request. The body has more than \(limit) bytes.")
        case .late: self.init(.badRequest, "The body of the request did not arrive in time.")
        case .broken: self.init(.badRequest, "The body of the request is malformed, or incomplete.")
        }
    }
}

extension Response {
    /// Returns the response with one of Apple's error codes.
    fileprivate static func refusal(_ error: ServerError) throws -> Response {
        struct Body: Encodable {
            let errorCode: Int
            let errorMessage: String
        }
        return try .json(
            Body(errorCode: error.code.rawValue, errorMessage: error.message),
            status: HTTPResponse.Status(code: error.code.status))
    }
}
