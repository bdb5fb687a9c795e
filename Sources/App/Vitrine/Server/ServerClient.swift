internal import Foundation
internal import HTTPTypes
internal import VitrineNetworking
internal import VitrineSupport

/// Client of the app's own server, which sends single requests and follows no redirects.
struct ServerClient: Sendable {
    let options: ManagerOptions.Server
    let now: @Sendable () -> Date

    /// Maximum size of a reply that is not a document of an exchange, in bytes.
    static let replyLimit = 1_024 * 1_024

    struct Request {
        var method = HTTPRequest.Method.get
        /// Components of the path after the address of the server. They are escaped when the request is sent.
        var path: [String]
        var fields: HTTPFields = [:]
        var body = Data()
        /// Maximum size of the reply, in bytes.
        var replyLimit = ServerClient.replyLimit

        init(_ method: HTTPRequest.Method = .get, _ path: String...) { (self.method, self.path) = (method, path) }

        /// Sets the body to a value as JSON.
        mutating func setBody(_ value: some Encodable) throws(AppServerError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                body = try encoder.encode(value)
            } catch {
                throw AppServerError(code: .invalidRequest, reason: "the request cannot be written as JSON: \(error)")
            }
            fields[.contentType] = "application/json"
        }
    }

    /// Sends a request and returns the complete reply, with any status.
    ///
    /// - Parameter token: Token of the device; `nil` for a request that needs none.
    func reply(to request: Request, token: String?) async throws(AppServerError) -> HTTPReply {
        var message = HTTPRequest(method: request.method, url: try url(of: request), headerFields: request.fields)
        message.headerFields[.accept] = message.headerFields[.accept] ?? "application/json"
        if let token { message.headerFields[.authorization] = "Bearer \(token)" }
        do throws(HTTPTransportError) {
            return try await options.transport.send(
                message, body: request.body,
                limits: HTTPLimits(size: request.replyLimit, seconds: options.timeout))
        } catch {
            throw AppServerError(error)
        }
    }

    /// Sends a request and returns its reply.
    ///
    /// - Throws: ``AppServerError`` for a reply without a status of success.
    func send(_ request: Request, token: String? = nil) async throws(AppServerError) -> HTTPReply {
        try checked(try await reply(to: request, token: token))
    }

    /// Returns a reply with a status of success, or with the status 304 (Not Modified).
    func checked(_ reply: HTTPReply) throws(AppServerError) -> HTTPReply {
        guard reply.response.status.kind == .successful || reply.response.status == .notModified else {
            throw AppServerError(reply, now: now())
        }
        return reply
    }

    private func url(of request: Request) throws(AppServerError) -> URL {
        var text = options.url.absoluteURL.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        for part in request.path { text += "/" + part.asPathPart }
        guard let url = URL(string: text), url.query() == nil, url.fragment() == nil else {
            throw AppServerError(
                code: .invalidRequest, reason: "\(WebAddress.printed(options.url)) is not the address of a server")
        }
        return url
    }
}

extension HTTPReply {
    /// Decodes the JSON body of the reply.
    ///
    /// - Parameter what: Noun that names the reply in an error.
    func value<Value: Decodable>(_: Value.Type, _ what: String) throws(AppServerError) -> Value {
        do {
            return try JSONDecoder().decodeForeign(Value.self, from: body)
        } catch {
            throw .format(what)
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
