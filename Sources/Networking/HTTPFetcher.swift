internal import FileSystem
public import Foundation
package import HTTPTypes

/// Fetches what a web address has, over any transport.
public struct HTTPFetcher: Sendable {
    /// What came of a request.
    public enum Outcome: Sendable, Hashable {
        /// What the address has.
        case fetched(HTTPCopy)
        /// The address still has what the validators name (status 304).
        case notModified
    }

    /// After so many redirects nobody is asked any more.
    public static let redirectLimit = 5

    private let transport: any HTTPTransport

    public init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Asks an address by `GET`.
    ///
    /// Redirects (301, 302, 303, 307 and 308) are followed, never from `https` to `http`, and each to an address that the
    /// transport would ask in the first place. An address with a user's name or password in it is not asked.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - validators: What the copy that one has is named by; `nil` for a whole reply in any case. A caller that is told
    ///     ``Outcome/notModified`` and has no such copy asks again with `nil`.
    ///   - limits: What each request may take, thus each redirect anew.
    ///   - now: What a date in `Retry-After` counts from.
    /// - Throws: ``HTTPFetchError`` for everything but a whole reply with status 200, or 304 where there are validators.
    public func fetch(
        _ url: URL, validators: HTTPValidators? = nil, limits: HTTPLimits = HTTPLimits(), now: Date
    ) async throws(HTTPFetchError) -> Outcome {
        let conditions = validators?.conditions ?? [:]
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
                reason: "the server answered that nothing is new, although it was not asked that")
        default:
            throw HTTPFetchError(response, now: now)
        }
    }

    /// Asks an address by `GET`, and hands on what is answered in the end, whatever its status, as ``HTTPTransport``
    /// does. Redirects are followed as in ``fetch(_:validators:limits:now:)``.
    ///
    /// - Parameters:
    ///   - fields: What is sent along, also to where redirects lead.
    ///   - limits: What each request may take, thus each redirect anew.
    /// - Returns: The head that was handed on, and where it was.
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
            reason: "there are more than \(Self.redirectLimit) redirects, the last to \(url.absoluteString)")
    }

    /// Hands on a reply that is no redirect. Of one, what comes after its head is not waited for.
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

    /// - Throws: ``HTTPFetchError`` for an address that is not asked: one that is not encrypted, unless it is this device,
    ///   or has a user's name or password in it.
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
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true), components.string != nil,
            components.scheme != nil, components.host?.isEmpty == false
        else {
            throw HTTPFetchError(code: .addressRefused, reason: "\(url.absoluteString) is no address on the web")
        }
        guard components.user == nil, components.password == nil else {
            throw HTTPFetchError(code: .addressRefused, reason: "the address holds a user's name or password")
        }
        return HTTPRequest(method: .get, url: url, headerFields: conditions)
    }

    private static func target(of response: HTTPResponse, from url: URL) throws(HTTPFetchError) -> URL {
        guard let location = response.headerFields[.location],
            let target = URL(string: location, relativeTo: url)?.absoluteURL
        else {
            throw HTTPFetchError(
                code: .redirect, reason: "the server answered with the status \(response.status.code), and no address")
        }
        guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
            throw HTTPFetchError(
                code: .redirect, reason: "the server redirects from https to \(target.absoluteString)")
        }
        return target
    }
}

extension HTTPResponse {
    fileprivate var isRedirect: Bool {
        [.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect].contains(status)
    }
}

/// What an address had when it was asked.
public struct HTTPCopy: Sendable, Hashable {
    public var body: Data
    /// What the server names this copy by.
    public var validators: HTTPValidators
    /// `Content-Type` in lower case and without parameters, as `text/html`; `nil` where the server does not say.
    public var mediaType: String?
    /// Where it was in the end, after all redirects.
    public var url: URL

    public init(body: Data, validators: HTTPValidators = HTTPValidators(), mediaType: String? = nil, url: URL) {
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
