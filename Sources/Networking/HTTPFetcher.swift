public import Foundation
internal import HTTPTypes

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
    ///   - validators: What the copy that one has is named by; `nil` for a whole reply in any case. A caller that is told
    ///     ``Outcome/notModified`` and has no such copy asks again with `nil`.
    ///   - limits: What each request may take, thus each redirect anew.
    ///   - now: What a date in `Retry-After` counts from.
    /// - Throws: ``HTTPFetchError`` for everything but a whole reply with status 200, or 304 where there are validators.
    public func fetch(
        _ url: URL, validators: HTTPValidators? = nil, limits: HTTPLimits = HTTPLimits(), now: Date
    ) async throws(HTTPFetchError) -> Outcome {
        let conditions = validators?.conditions ?? [:]
        var url = url.absoluteURL
        for _ in 0...Self.redirectLimit {
            let reply = try await reply(to: try Self.request(for: url, conditions), limits)
            switch reply.response.status {
            case .ok:
                return .fetched(HTTPCopy(reply, url: url))
            case .notModified where !conditions.isEmpty:
                return .notModified
            case .notModified:
                throw HTTPFetchError(
                    code: .status(304),
                    reason: "the server answered that nothing is new, although it was not asked that")
            case .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect:
                url = try Self.target(of: reply.response, from: url)
            default:
                throw HTTPFetchError(reply.response, now: now)
            }
        }
        throw HTTPFetchError(
            code: .redirect,
            reason: "there are more than \(Self.redirectLimit) redirects, the last to \(url.absoluteString)")
    }

    private func reply(to request: HTTPRequest, _ limits: HTTPLimits) async throws(HTTPFetchError) -> HTTPReply {
        do throws(HTTPTransportError) {
            return try await transport.send(request, body: Data(), limits: limits)
        } catch {
            throw HTTPFetchError(error)
        }
    }

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
