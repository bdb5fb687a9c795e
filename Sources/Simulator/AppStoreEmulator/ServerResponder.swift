internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Context of a request without the values that routers and codecs of Hummingbird need.
struct PlainContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}

/// Responder that answers the requests of the app's server, and those of verifiers that ask for the status of
/// certificates.
struct ServerResponder: HTTPResponder {
    typealias Context = PlainContext

    /// Maximum size of the body of a request, in bytes. Apple's clients send less than a kilobyte.
    private static let bodyLimit = 64 * 1024
    /// Maximum size of a body that is read before the request is refused, in bytes. Many clients read the answer only
    /// when they have sent the whole body.
    private static let discardLimit = 16 * 1024 * 1024

    private let store: SimulatedStore
    private let authorization: Authorization
    private let limits: RateLimits?
    private let answers = KeptAnswers()
    private let stateWithoutFailure = Shared<StoreState?>(nil)
    private let nextChange = Shared<(state: StoreState, date: Date)?>(nil)
    private let options: AppStoreEmulatorOptions
    private let logger: Logger

    init(store: SimulatedStore, options: AppStoreEmulatorOptions, logger: Logger) {
        (self.store, self.options, self.logger) = (store, options, logger)
        authorization = Authorization(store: store, now: options.now)
        limits = options.limitsRates ? RateLimits(environment: store.environment) : nil
    }

    func respond(to request: Request, context: PlainContext) async throws -> Response {
        do {
            return try await answer(request)
        } catch let error as ServerError {
            return .refusal(error.code.rawValue, error.message)
        } catch is SlowBody {
            return .refusal(ServerError.Code.badRequest.rawValue, "The body of the request did not arrive in time.")
        } catch let error as SimulatedStoreError {
            logger.error("\(error.reason)")
            return .refusal(ServerError.Code.internalError.rawValue, "The store's state cannot be used.")
        }
    }

    private func answer(_ request: Request) async throws -> Response {
        let path = request.head.path ?? ""
        guard let target = RequestTarget(path) else {
            throw ServerError(.badRequest, "Invalid request. The address is not encoded correctly.")
        }
        if target.path.first == StatusOfCertificates.path { return try await statusOfCertificates(request, target) }
        let (found, allowed) = ServerOperation.find(request.method, target.path)
        guard let (operation, parameters) = found else {
            guard !allowed.isEmpty else { return Response(status: .notFound) }
            let methods = allowed.map(\.rawValue).joined(separator: ", ")
            return Response(status: .methodNotAllowed, headers: [.allow: methods])
        }
        switch try await authorization.check(request.headers[.authorization]) {
        case .accepted: break
        case .unauthenticated: return unauthenticated
        case .unknownApp: throw ServerError(.appNotFound, "The store has no app with this bundle id.")
        }
        if let date = limits?.count(operation, at: options.now()) { return Self.tooManyRequests(until: date) }
        let state = try store.state()
        if operation.onlyReads, let kept = answers.answer(to: path, in: state, at: options.now()) {
            return Response(status: operation.status, json: kept)
        }
        if let failure = try await failure(in: state), let response = try response(to: failure) { return response }
        let body = try await Self.body(of: request, within: options.bodyTime)
        let value = try await operation.run(
            store.serverAPI,
            OperationRequest(parameters: parameters, query: ServerQuery(target.query), body: body))
        guard let value else { return Response(status: operation.status) }
        let json = try ByteBuffer(json: value)
        if operation.onlyReads {
            answers.keep(json, to: path, in: state, until: try await nextChangeByTime(in: state))
        }
        return Response(status: operation.status, json: json)
    }

    /// Returns the failure that is set for a request, and decreases the number of failures that remain. To set a failure
    /// changes the state of the store: a state without one is not looked at again.
    private func failure(in state: StoreState) async throws -> SimulatedFailure? {
        guard stateWithoutFailure.value.withLock({ $0 }) != state else { return nil }
        if let failure = try await store.takeServerFailure() { return failure }
        stateWithoutFailure.value.withLock { $0 = state }
        return nil
    }

    /// Returns the date at which time alone changes the store, which is read once in each state.
    private func nextChangeByTime(in state: StoreState) async throws -> Date {
        if let known = nextChange.value.withLock({ $0 }), known.state == state { return known.date }
        let date = try await store.nextChangeByTime()
        nextChange.value.withLock { $0 = (state, date) }
        return date
    }

    // MARK: Refusals

    private var unauthenticated: Response {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let identifier = String((0..<26).compactMap { _ in characters.randomElement() })
        return Response(
            status: .unauthorized, headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "Unauthenticated\n\nRequest ID: \(identifier).0.0\n")))
    }

    /// Returns the response to a request that is set to fail; `nil` for a failure of something else.
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
        case .rateLimit: return Self.tooManyRequests(until: options.now() + 60)
        case .unauthenticated: return unauthenticated
        default: return nil
        }
    }

    private static func tooManyRequests(until date: Date) -> Response {
        var response = Response.refusal(ServerError.Code.rateLimitExceeded.rawValue, "Rate limit exceeded.")
        // Apple gives a UNIX time in milliseconds here, not the seconds of RFC 9110.
        response.headers[.retryAfter] = String(Int64(date.timeIntervalSince1970 * 1_000))
        return response
    }

    // MARK: Bodies

    /// Error of a request whose body does not arrive in time.
    private struct SlowBody: Error {}

    private static func body(of request: Request, within limit: Duration) async throws -> Data {
        guard request.method != .get else { return Data() }
        let tooLarge = ServerError(.badRequest, "Invalid request. The body has more than \(bodyLimit) bytes.")
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
            guard length > 0 else { return Data() }
            guard length <= discardLimit else { throw tooLarge }
        }
        return try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask {
                var (collected, size) = (Data(), 0)
                for try await part in request.body {
                    size += part.readableBytes
                    guard size <= discardLimit else { throw tooLarge }
                    if size <= bodyLimit { collected.append(contentsOf: part.readableBytesView) }
                }
                guard size <= bodyLimit else { throw tooLarge }
                return collected
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw SlowBody()
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }

    // MARK: Certificates

    private func statusOfCertificates(_ request: Request, _ target: RequestTarget) async throws -> Response {
        let question: Data
        switch request.method {
        case .post: question = try await Self.body(of: request, within: options.bodyTime)
        // A request in the address is in base64, which may contain slashes (RFC 6960, appendix A.1).
        case .get: question = Data(base64Encoded: target.path.dropFirst().joined(separator: "/")) ?? Data()
        default: return Response(status: .methodNotAllowed, headers: [.allow: "GET, POST"])
        }
        let answer = store.answer(certificateStatusRequest: question, at: options.now())
        return Response(
            status: .ok, headers: [.contentType: "application/ocsp-response"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
    }
}

/// Path of requests for the status of the store's certificates.
enum StatusOfCertificates {
    static let path = "ocsp"
}

extension ByteBuffer {
    fileprivate init(json value: any Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        self.init(bytes: try encoder.encode(value))
    }
}

extension Response {
    fileprivate init(status: HTTPResponse.Status, json: ByteBuffer) {
        self.init(
            status: status, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: json))
    }

    /// Returns the response that refuses a request with one of Apple's codes. Its content type has no parameter, because
    /// Apple's client for Python accepts none.
    fileprivate static func refusal(_ code: Int, _ message: String) -> Response {
        struct Body: Encodable {
            let errorCode: Int
            let errorMessage: String
        }
        let status = HTTPResponse.Status(code: code / 10_000)
        do {
            return Response(status: status, json: try ByteBuffer(json: Body(errorCode: code, errorMessage: message)))
        } catch {
            return Response(status: status)
        }
    }
}
