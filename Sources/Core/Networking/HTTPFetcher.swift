public import Foundation
package import HTTPTypes
internal import VitrineSupport

/// Fetcher of web content, which sends its requests over a given transport.
package struct HTTPFetcher: Sendable {
    /// Result of a request for the content of a web address.
    package enum Outcome: Sendable, Hashable {
        /// The server sent the content of the address.
        case fetched(HTTPCopy)
        /// The caller's copy of the content is still current (status 304).
        case notModified
    }

    /// Largest number of redirects that are followed.
    package static let redirectLimit = 5

    private let transport: any HTTPTransport

    package init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Requests an address with `GET`.
    ///
    /// Redirects (301, 302, 303, 307 and 308) are followed, but never from `https` to `http`, and only to addresses
    /// that the transport accepts. An address with a user name or password is not requested.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - validators: Validators of the caller's copy; `nil` to always request a complete reply. A caller that
    ///     receives ``Outcome/notModified`` without having a copy requests the address again with `nil`.
    ///   - limits: Limits of each request; they apply to each redirect separately.
    ///   - now: Current time, for evaluating dates in header fields.
    /// - Throws: ``HTTPFetchError`` unless there is a complete reply with status 200, or 304 if there are validators.
    package func fetch(
        _ url: URL, validators: HTTPValidators? = nil, limits: HTTPLimits = HTTPLimits(), now: Date
    ) async throws(HTTPFetchError) -> Outcome {
        let conditions = validators?.conditions(now: now) ?? [:]
        let body = Locked(Data())
        let (response, url) = try await receive(url, fields: conditions, limits: limits) { _ in
        } part: { part in
            body.withLock { $0.append(part) }
        }
        switch response.status {
        case .ok:
            return .fetched(HTTPCopy(HTTPReply(response: response, body: body.withLock { $0 }), url: url))
        case .notModified where !conditions.isEmpty:
            return .notModified
        case .notModified:
            throw HTTPFetchError(
                code: .status(304),
                reason: "the server answered that its content is unchanged (304), but was not asked for changes")
        default:
            throw HTTPFetchError(response, now: now)
        }
    }

    /// Requests an address with `GET` and returns the head of the final reply, without receiving its body.
    ///
    /// - Parameter fields: Header fields of the request.
    /// - Throws: ``HTTPFetchError`` if there is no reply.
    package func head(
        of url: URL, fields: HTTPFields, limits: HTTPLimits
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let head = Locked<HTTPResponse?>(nil)
        do throws(HTTPFetchError) {
            return try await receive(url, fields: fields, limits: limits) { (response) throws(HTTPTransportError) in
                head.withLock { $0 = response }
                throw HTTPTransportError(code: .refused, reason: "the body of the reply is not needed")
            } part: { _ in
            }.0
        } catch {
            guard error.code == .refused, let response = head.withLock({ $0 }) else { throw error }
            return response
        }
    }

    /// Requests an address with `GET` and passes on the final reply, with any status, as ``HTTPTransport`` does.
    /// Redirects are followed as in ``fetch(_:validators:limits:now:)``.
    ///
    /// - Parameters:
    ///   - fields: Header fields of the request. They are also sent to the targets of redirects.
    ///   - limits: Limits of each request; they apply to each redirect separately.
    /// - Returns: The head of the final reply, and the final address.
    package func receive(
        _ url: URL, fields: HTTPFields, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPFetchError) -> (HTTPResponse, URL) {
        var url = url.absoluteURL
        for _ in 0...Self.redirectLimit {
            let response = try await answer(try Self.request(for: url, fields), limits, head: head, part: part)
            guard response.isRedirect else { return (response, url) }
            url = try Self.target(of: response, from: url)
        }
        throw HTTPFetchError(
            code: .redirect,
            reason: "there are more than \(Self.redirectLimit) redirects, the last to \(WebAddress.printed(url))")
    }

    /// Sends a single request and passes on its reply to the caller. The body of a redirect is not received.
    private func answer(
        _ request: HTTPRequest, _ limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPFetchError) -> HTTPResponse {
        let answer = Locked<HTTPResponse?>(nil)
        do throws(HTTPTransportError) {
            try await transport.receive(request, body: Data(), limits: limits) {
                (response) throws(HTTPTransportError) in
                answer.withLock { $0 = response }
                guard !response.isRedirect else { throw Self.redirected }
                try head(response)
            } part: { (data) throws(HTTPTransportError) in
                try part(data)
            }
            guard let response = answer.withLock({ $0 }) else { throw .noStatus }
            return response
        } catch {
            if error == Self.redirected, let response = answer.withLock({ $0 }) { return response }
            throw HTTPFetchError(error)
        }
    }

    /// Checks that an address may be requested.
    ///
    /// - Throws: ``HTTPFetchError`` for an address that contains a user name or password, or that is not encrypted and
    ///   does not refer to this device.
    package static func checkAddress(_ url: URL) throws(HTTPFetchError) {
        let request = try request(for: url, [:])
        do {
            _ = try request.address(plainHTTP: .loopback)
        } catch {
            throw HTTPFetchError(error)
        }
    }

    private static let redirected = HTTPTransportError(code: .refused, reason: "the reply is a redirect")

    private static func request(for url: URL, _ conditions: HTTPFields) throws(HTTPFetchError) -> HTTPRequest {
        if let objection = WebAddress.objection(to: url) {
            throw HTTPFetchError(
                code: .addressRefused, reason: "the address \(WebAddress.printed(url)) \(objection)")
        }
        return HTTPRequest(method: .get, url: url, headerFields: conditions)
    }

    private static func target(of response: HTTPResponse, from url: URL) throws(HTTPFetchError) -> URL {
        guard let location = response.headerFields[.location],
            let target = URL(string: location, relativeTo: url)?.absoluteURL
        else {
            throw HTTPFetchError(
                code: .redirect, reason: "the redirect with status \(response.status.code) has no valid Location")
        }
        guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
            throw HTTPFetchError(
                code: .redirect, reason: "the server redirects from https to \(WebAddress.printed(target))")
        }
        return target
    }
}

extension HTTPResponse {
    fileprivate var isRedirect: Bool {
        [.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect].contains(status)
    }
}

/// Copy of web content at the time of the request.
package struct HTTPCopy: Sendable, Hashable {
    package var body: Data
    /// Validators of this copy, as sent by the server.
    package var validators: HTTPValidators
    /// `Content-Type` in lower case and without parameters, such as `text/html`; `nil` if the server does not send it.
    package var mediaType: String?
    /// Address of the content after all redirects.
    package var url: URL

    package init(body: Data, validators: HTTPValidators = HTTPValidators(), mediaType: String? = nil, url: URL) {
        self.body = body
        self.validators = validators
        self.mediaType = mediaType
        self.url = url
    }

    fileprivate init(_ reply: HTTPReply, url: URL) {
        let mediaType = reply.response.headerFields[.contentType]?.prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        self.init(
            body: reply.body, validators: HTTPValidators(reply.response),
            mediaType: mediaType?.isEmpty == false ? mediaType : nil, url: url)
    }
}

/// Limits of an HTTP request and its reply. Times are in seconds, a day at most.
public struct HTTPLimits: Sendable, Hashable {
    /// Maximum number of bytes of the reply's body, once decompressed: 16 MiB by default.
    public var size: Int
    /// Maximum time until the complete head of the reply is received: 15 by default. It includes resolving the host
    /// name, connecting, and sending the request.
    public var firstByte: TimeInterval
    /// Maximum time without another byte after the reply has begun: 15 by default.
    public var stall: TimeInterval
    /// Maximum time for the whole request and its reply: 60 by default.
    public var whole: TimeInterval

    public init(
        size: Int = 16 * 1024 * 1024, firstByte: TimeInterval = 15, stall: TimeInterval = 15, whole: TimeInterval = 60
    ) {
        self.size = size
        self.firstByte = firstByte
        self.stall = stall
        self.whole = whole
    }

    /// Creates limits with a common maximum time in seconds for the start of the reply, each pause in it and the whole
    /// request.
    public init(size: Int, seconds: TimeInterval) {
        self.init(size: size, firstByte: seconds, stall: seconds, whole: seconds)
    }
}

/// Error thrown when the content of a web address cannot be fetched.
package struct HTTPFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The address is not allowed: it is not encrypted, contains credentials, or has a scheme other than `https`
        /// and `http`.
        case addressRefused
        /// The server could not be reached, or the connection broke before the complete reply was received.
        case unreachable
        /// The reply, or a part of it, took longer than the limits allow.
        case timeout
        /// The body of the reply is longer than the limit.
        case tooLarge
        /// The server sends too many redirects, or a redirect whose address is missing or not allowed.
        case redirect
        /// The server answered with a status that does not indicate success.
        case status(Int)
        case cancelled
        /// A handler of the caller rejected the reply.
        case refused
    }

    package let code: Code
    /// Description of the error, as the rest of a sentence.
    package let reason: String
    /// Number of seconds that the server asks clients to wait before the next request, an hour at most; `nil` if the
    /// server does not specify it.
    package let retryAfter: TimeInterval?

    package init(code: Code, reason: String, retryAfter: TimeInterval? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    package var description: String { reason }

    package init(_ response: HTTPResponse, now: Date) {
        self.init(
            code: .status(response.status.code),
            reason: "the server answered with the status \(response.status.code)",
            retryAfter: response.headerFields[.retryAfter].flatMap { RetryAfter.seconds($0, now: now) })
    }

    package init(_ error: HTTPTransportError) {
        let code: Code =
            switch error.code {
            case .invalidRequest: .addressRefused
            case .connection: .unreachable
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .cancelled: .cancelled
            case .refused: .refused
            }
        self.init(code: code, reason: error.reason)
    }
}
