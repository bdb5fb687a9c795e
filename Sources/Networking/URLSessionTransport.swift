public import Foundation
public import HTTPTypes
internal import HTTPTypesFoundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Sends requests with Foundation's `URLSession`.
///
/// Addresses are `https`, with the system's check of the server's certificate. This device itself may be asked by plain
/// `http`: `localhost`, `127.0.0.1` and `[::1]`; others only where ``init(allowsPlainHTTP:)`` says so.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let exchanges: RunningExchanges
    private let allowsPlainHTTP: Bool
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter allowsPlainHTTP: Every address may be asked by `http`: for answers that prove themselves, as those over
    ///   OCSP do, which certificates name by such addresses.
    public convenience init(allowsPlainHTTP: Bool = false) {
        self.init(allowsPlainHTTP: allowsPlainHTTP, sleep: { try await Task.sleep(for: $0) })
    }

    /// - Parameter sleep: Waits for the end of a timeout.
    package init(allowsPlainHTTP: Bool = false, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = RunningExchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        self.allowsPlainHTTP = allowsPlainHTTP
        self.sleep = sleep
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(
        _ request: HTTPRequest, body: Data, sizeLimit: Int, timeout: TimeInterval
    ) async throws(HTTPTransportError) -> HTTPReply {
        let seconds = timeout > 0 ? min(timeout, Self.longestTimeout) : 0
        var urlRequest = try URLRequest(request, allowsPlainHTTP: allowsPlainHTTP)
        if !body.isEmpty { urlRequest.httpBody = body }
        // Foundation's own timer starts again with every byte: it comes after that of the whole exchange.
        urlRequest.timeoutInterval = seconds + 60
        let exchange = Exchange(task: session.dataTask(with: urlRequest), sizeLimit: sizeLimit)
        exchanges.add(exchange)
        let timer = Task { [sleep] in
            do { try await sleep(.seconds(seconds)) } catch { return }
            exchange.giveUp(.timeout, "there was no whole reply within \(seconds.formatted()) s")
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            await exchange.outcome()
        } onCancel: {
            exchange.giveUp(.cancelled, "the request was cancelled")
        }.get()
    }

    private static let longestTimeout: TimeInterval = 86_400
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, allowsPlainHTTP: Bool) throws(HTTPTransportError) {
        guard let urlRequest = URLRequest(httpRequest: request), let url = urlRequest.url, let host = url.host() else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request has no address")
        }
        let isLoopback = ["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
        guard url.scheme == "https" || url.scheme == "http" && (isLoopback || allowsPlainHTTP) else {
            throw HTTPTransportError(
                code: .invalidRequest, reason: "\(url.scheme ?? "no scheme")://\(host) is not asked: only https is")
        }
        guard url.user() == nil, url.password() == nil else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the address holds a user's name or password")
        }
        self = urlRequest
    }
}
