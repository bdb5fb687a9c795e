internal import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineNetworking
internal import VitrineSupport

/// Client of the app's own server, which sends single requests and follows no redirects.
struct ServerClient: Sendable {
    let options: ManagerOptions.Server
    let now: @Sendable () -> Date

    /// Request to an endpoint.
    struct Request<Body: SentBody, Reply: WireBody>: Sendable {
        let endpoint: Endpoint<Body, Reply>
        /// Values of the parameters of the endpoint's path. They are escaped when the request is sent.
        let parameters: [String]
        let body: Body
        var fields: HTTPFields = [:]
        /// `false` if the head of a successful reply is enough, whose body is then not received.
        var needsBody = true

        init(_ endpoint: Endpoint<Body, Reply>, _ parameters: String..., body: Body) {
            (self.endpoint, self.parameters, self.body) = (endpoint, parameters, body)
        }

        init(_ endpoint: Endpoint<Body, Reply>, _ parameters: [String] = []) where Body == NoBody {
            (self.endpoint, self.parameters, body) = (endpoint, parameters, NoBody())
        }
    }

    /// Sends a request and returns the complete reply, with any status.
    ///
    /// - Parameter token: Token of the device; `nil` for a request that needs none.
    func reply<Body, Reply>(
        to request: Request<Body, Reply>, token: String?
    ) async throws(AppServerError) -> HTTPReply {
        let (message, body) = (try message(request, token: token), try Self.bytes(of: request.body))
        let limits = HTTPLimits(size: request.endpoint.replyLimit, seconds: options.timeout)
        let success = Locked<HTTPResponse?>(nil)
        do throws(HTTPTransportError) {
            guard !request.needsBody else {
                return try await options.transport.send(message, body: body, limits: limits)
            }
            let transport = HeadTransport(base: options.transport) { head in success.withLock { $0 = head } }
            return try await transport.send(message, body: body, limits: limits)
        } catch {
            if let response = success.withLock({ $0 }) { return HTTPReply(response: response, body: Data()) }
            throw AppServerError(error, at: options.url)
        }
    }

    /// Returns the head of a request.
    ///
    /// - Parameter token: Token of the device; `nil` for a request that needs none.
    func message<Body, Reply>(
        _ request: Request<Body, Reply>, token: String?
    ) throws(AppServerError) -> HTTPRequest {
        let url = try url(of: request.endpoint.segments(request.parameters))
        var message = HTTPRequest(method: request.endpoint.method, url: url, headerFields: request.fields)
        message.headerFields[.accept] = Reply.mediaType ?? "application/json"
        message.headerFields[.contentType] = Body.mediaType
        if let token { message.headerFields[.authorization] = "Bearer \(token)" }
        return message
    }

    static func bytes(of body: some SentBody) throws(AppServerError) -> Data {
        do {
            return try body.encoded()
        } catch {
            throw AppServerError(code: .invalidRequest, reason: "the request cannot be written as JSON: \(error)")
        }
    }

    /// Sends a request that needs no token, and returns its reply.
    ///
    /// - Throws: ``AppServerError`` for a reply without a status of success.
    func send<Body, Reply: ReceivedBody>(
        _ request: Request<Body, Reply>
    ) async throws(AppServerError) -> Reply {
        try checked(try await reply(to: request, token: nil)).value(request.endpoint)
    }

    /// Returns a reply with a status of success, or with the status 304 (Not Modified).
    func checked(_ reply: HTTPReply) throws(AppServerError) -> HTTPReply {
        guard reply.response.status.kind == .successful || reply.response.status == .notModified else {
            throw AppServerError(reply, now: now())
        }
        return reply
    }

    /// Returns the address of an endpoint.
    ///
    /// - Parameter path: Components of the path after the address of the server.
    func url(of path: [String]) throws(AppServerError) -> URL {
        var text = options.url.absoluteURL.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        for part in path { text += "/" + part.asPathPart }
        guard let url = URL(string: text), url.query() == nil, url.fragment() == nil else {
            throw AppServerError(
                code: .invalidRequest, reason: "\(WebAddress.printed(options.url)) is not the address of a server")
        }
        return url
    }
}

/// Transport that ends a successful reply after its head.
private struct HeadTransport: HTTPTransport {
    let base: any HTTPTransport
    /// Function that receives the head of a successful reply.
    let note: @Sendable (HTTPResponse) -> Void

    func objection(to url: URL) -> String? { base.objection(to: url) }

    func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        // The length that the head of a success states does not matter, and an error has a short body.
        var unlimited = limits
        unlimited.size = .max
        let count = Locked(0)
        try await base.receive(request, body: body, limits: unlimited) { (response) throws(HTTPTransportError) in
            guard response.status.kind == .successful else { return try head(response) }
            note(response)
            throw HTTPTransportError(code: .refused, reason: "the body of the reply is not needed")
        } part: { (data) throws(HTTPTransportError) in
            let received = count.withLock { count in
                count += data.count
                return count
            }
            guard received <= limits.size else {
                throw HTTPTransportError(code: .tooLarge, reason: "the reply has more than \(limits.size) bytes")
            }
            try part(data)
        }
    }
}

extension HTTPReply {
    /// Reads the body of the reply of an endpoint.
    func value<Body, Reply: ReceivedBody>(_ endpoint: Endpoint<Body, Reply>) throws(AppServerError) -> Reply {
        do {
            return try Reply(encoded: body)
        } catch {
            throw .format(endpoint.name)
        }
    }
}

extension String {
    /// Text as a component of a URL's path: everything but letters, digits, `-`, `_` and `.` is escaped.
    fileprivate var asPathPart: String {
        addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? ""
    }

    private static let plainCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
}
