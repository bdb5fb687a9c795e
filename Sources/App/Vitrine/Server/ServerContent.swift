public import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineHostedContent
internal import VitrineNetworking
internal import VitrineSupport

/// Hosted content on the app's own server. As a transport, it sends requests for this content with the token of the
/// device, and all other requests unchanged with the transport for web servers.
///
/// A transport follows no redirects, so that the token is sent to no other server.
final class ServerContent: HTTPTransport, ProtectedContentServer {
    private struct Connection: Sendable {
        weak var manager: CatalogManager?
    }

    private let options: ManagerOptions.Server
    /// Transport for requests to other servers.
    private let others: any HTTPTransport
    private let sleep: @Sendable (Duration) async throws -> Void
    private let connection = Locked(Connection())

    /// Maximum time for the question whether the server has a file, with enrolling and renewing the token.
    private static let questionTime = Duration.seconds(3)
    /// Error that ends a reply to a request that is repeated.
    private static let repeated = HTTPTransportError(code: .refused, reason: "the request is repeated")

    init(
        _ options: ManagerOptions.Server, others: any HTTPTransport,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.options, self.others, self.sleep) = (options, others, sleep)
    }

    /// Sets the manager whose device makes the requests.
    func connect(to manager: CatalogManager) { connection.withLock { $0.manager = manager } }

    private var server: CatalogManager.Server? { connection.withLock { $0.manager }?.server }

    // MARK: Addresses

    func has(_ url: URL) -> Bool { path(of: url) != nil }

    /// Returns the path of a file in the app's content folder on the server; `nil` for any other address.
    private func path(of url: URL) -> [String]? {
        guard let place = place(of: url), place.app == options.app else { return nil }
        return place.path
    }

    /// Returns the path of a file in a content folder on the server, with the name of the folder's app; `nil` for any
    /// other address.
    private func place(of url: URL) -> (app: String, path: [String])? {
        let client = ServerClient(options: options, now: { Date() })
        guard let base = try? client.url(of: []),
            let own = URLComponents(url: base, resolvingAgainstBaseURL: true),
            let other = URLComponents(url: url, resolvingAgainstBaseURL: true),
            other.isOfSameOrigin(as: own), other.user == nil, other.password == nil,
            other.percentEncodedPath.hasPrefix(own.percentEncodedPath + "/")
        else { return nil }
        let names = other.percentEncodedPath.dropFirst(own.percentEncodedPath.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false).map { $0.removingPercentEncoding ?? "" }
        let folder = names.prefix(4)
        guard names.count > 4, names.allSatisfy({ !["", ".", ".."].contains($0) }),
            Array(folder) == AppServerAPI.content.segments([folder[2]])
        else { return nil }
        return (folder[2], Array(names.dropFirst(4)))
    }

    // MARK: Transport

    func objection(to url: URL) -> String? {
        has(url) ? options.transport.objection(to: url) : others.objection(to: url)
    }

    func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        guard let url = request.url, has(url) else {
            return try await others.receive(request, body: body, limits: limits, head: head, part: part)
        }
        var enrollment = try await asking { (server) async throws(AppServerError) in
            try await server.session.ready()
        }
        var request = request
        var repeating: Set<HTTPResponse.Status> = [.unauthorized, .forbidden]
        while true {
            request.headerFields[.authorization] = "Bearer \(enrollment.token)"
            guard
                let refusal = try await self.refusal(of: request, body, limits, repeating, head: head, part: part)
            else { return }
            repeating.remove(refusal)
            if refusal == .unauthorized {
                let ended = enrollment
                enrollment = try await asking { (server) async throws(AppServerError) in
                    try await server.session.renewedEnrollment(after: ended)
                }
            } else {
                // The server may not know a purchase that this device has recorded.
                try await asking { (server) async throws(AppServerError) in try await server.reportForContent() }
            }
        }
    }

    private func asking<Value: Sendable>(
        _ body: (CatalogManager.Server) async throws(AppServerError) -> Value
    ) async throws(HTTPTransportError) -> Value {
        do throws(AppServerError) {
            guard let server else { throw .noServer }
            return try await body(server)
        } catch {
            throw HTTPTransportError(error)
        }
    }

    /// Sends a request, and passes on its reply.
    ///
    /// - Parameter repeating: Statuses after which the caller repeats the request. A reply with one of them is not
    ///   passed on.
    /// - Returns: Such a status; `nil` if the reply was passed on.
    private func refusal(
        of request: HTTPRequest, _ body: Data, _ limits: HTTPLimits, _ repeating: Set<HTTPResponse.Status>,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) -> HTTPResponse.Status? {
        let refused = Locked<HTTPResponse.Status?>(nil)
        do throws(HTTPTransportError) {
            try await options.transport.receive(request, body: body, limits: limits) {
                (response) throws(HTTPTransportError) in
                guard !repeating.contains(response.status) else {
                    refused.withLock { $0 = response.status }
                    throw Self.repeated
                }
                try head(response)
            } part: { (data) throws(HTTPTransportError) in
                try part(data)
            }
            return nil
        } catch {
            if let status = refused.withLock({ $0 }) { return status }
            throw error
        }
    }

    // MARK: Files

    func checkPresence(of url: URL) async throws(ContentError) {
        do throws(AppServerError) {
            guard let server, let path = path(of: url) else { throw .noServer }
            var request = ServerClient.Request(AppServerAPI.content, [options.app] + path)
            // Of a file that is there, the first byte is enough. A proxy may answer with the whole file.
            request.fields[.range] = "bytes=0-0"
            request.needsBody = false
            let session = try server.session
            try await inTime { [request] () async throws(AppServerError) in _ = try await session.reply(to: request) }
        } catch {
            // The server answers so only about a file that it has.
            guard error.code != .notOwned else { return }
            throw ContentError(error)
        }
    }

    /// Calls a function, and cancels it after the time for a question, without waiting for its end.
    ///
    /// - Throws: The error of the function, or ``AppServerError`` `connection`.
    private func inTime(
        _ body: @escaping @Sendable () async throws(AppServerError) -> Void
    ) async throws(AppServerError) {
        let (ends, end) = AsyncStream<AppServerError?>.makeStream()
        let asking = Task {
            do throws(AppServerError) {
                try await body()
                end.yield(nil)
            } catch {
                end.yield(error)
            }
        }
        let waiting = Task { [sleep] in
            try await sleep(Self.questionTime)
            end.finish()
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        for await error in ends {
            guard let error else { return }
            throw error
        }
        throw AppServerError(code: .connection, reason: "the app's server does not answer in time")
    }

    func link(to url: URL) async throws(ContentError) -> URL {
        do throws(AppServerError) {
            guard let server else { throw .noServer }
            do throws(AppServerError) {
                return try await server.link(to: url).url
            } catch {
                guard error.code == .notOwned else { throw error }
                try await server.reportForContent()
                return try await server.link(to: url).url
            }
        } catch {
            throw ContentError(error)
        }
    }

    /// Returns a link to a file at an address on the server.
    func requestLink(to url: URL, in session: ServerSession) async throws(AppServerError) -> ServerContentLink {
        guard let path = path(of: url) else {
            throw AppServerError(
                code: .invalidRequest,
                reason: "\(WebAddress.printed(url)) is not the address of content on the app's server")
        }
        let request = ServerClient.Request(
            AppServerAPI.makeLink, body: LinkRequest(path: path.joined(separator: "/")))
        let link = try await session.send(request)
        let base = try session.client.url(of: []).absoluteString
        // In another environment of the store, the app may have another name at the server.
        guard link.link.hasPrefix("/"), let linked = URL(string: base + link.link), place(of: linked)?.path == path
        else { throw .format(request.endpoint.name) }
        return ServerContentLink(url: linked, expirationDate: Date(milliseconds: link.until))
    }
}

/// Link to a file of hosted content on the app's own server. Anyone who has the link can download the file.
public struct ServerContentLink: Sendable, Hashable {
    public let url: URL
    /// Date after which the server refuses the link.
    public let expirationDate: Date
}

extension CatalogManager.Server {
    /// Requests a link to a file of hosted content, for a player or another program that cannot send the token of this
    /// device.
    ///
    /// - Parameter url: Address of the file on the server.
    /// - Throws: ``AppServerError``: `notOwned` if the customer owns no product with this content, `notFound` if there
    ///   is no such file, `invalidRequest` for an address that is not of the app's content on the server.
    public func link(to url: URL) async throws(AppServerError) -> ServerContentLink {
        let session = try session
        guard let content = manager.ownedContent.server else { throw .noServer }
        return try await content.requestLink(to: url, in: session)
    }
}

extension URLComponents {
    /// Returns `true` if both addresses have the same scheme, host and port.
    fileprivate func isOfSameOrigin(as other: URLComponents) -> Bool {
        guard let scheme = scheme?.lowercased(), let host = host?.lowercased() else { return false }
        return scheme == other.scheme?.lowercased() && host == other.host?.lowercased()
            && (port ?? Self.port(of: scheme)) == (other.port ?? Self.port(of: scheme))
    }

    private static func port(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

extension HTTPTransportError {
    fileprivate init(_ error: AppServerError) {
        self.init(code: error.code.isTemporary ? .connection : .refused, reason: error.reason)
    }
}

extension ContentError {
    fileprivate init(_ error: AppServerError) {
        let code: Code =
            switch error.code {
            case .storage: .storage
            case _ where error.code.isTemporary: .network
            default: .server
            }
        self.init(code: code, reason: error.reason, retryAfter: error.context)
    }
}
