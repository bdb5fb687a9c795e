#if canImport(Darwin)
    public import VitrineSupport
    public import Foundation
    public import HTTPTypes
    internal import HTTPTypesFoundation

    // Not built or run on Linux.
    /// Transport that sends requests with Foundation's `URLSession`.
    ///
    /// The transport requires `https`, and the system checks the server's certificate. Plain `http` is limited to the
    /// hosts that ``PlainHTTP`` allows. The transport requests gzip and decompresses it. If the server sends the length
    /// of its reply, a shorter reply is an error.
    ///
    /// If the server does not send the length, the end of the connection is the end of the reply, and incomplete gzip
    /// data results in an incomplete reply. The caller therefore has to check the content. All exchanges of a transport
    /// pass on their replies one at a time.
    public final class URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let exchanges: RunningExchanges
        private let plainHTTP: PlainHTTP
        private let now: @Sendable () -> ContinuousClock.Instant
        private let sleep: @Sendable (Duration) async throws -> Void

        public convenience init(plainHTTP: PlainHTTP = .loopback) {
            self.init(plainHTTP: plainHTTP, sleep: { try await Task.sleep(for: $0) })
        }

        /// Creates a transport.
        ///
        /// - Parameters:
        ///   - now: Clock for timeouts.
        ///   - sleep: Function that waits for the end of a timeout.
        package init(
            plainHTTP: PlainHTTP = .loopback, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
            sleep: @escaping @Sendable (Duration) async throws -> Void
        ) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            exchanges = RunningExchanges()
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
            self.plainHTTP = plainHTTP
            self.now = now
            self.sleep = sleep
        }

        deinit { session.finishTasksAndInvalidate() }

        public func objection(to url: URL) -> String? { plainHTTP.objection(to: url) }

        public func receive(
            _ request: HTTPRequest, body: Data, limits: HTTPLimits,
            head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
            part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
        ) async throws(HTTPTransportError) {
            _ = try request.address(plainHTTP: plainHTTP)
            guard var urlRequest = URLRequest(httpRequest: request) else {
                throw HTTPTransportError(code: .invalidRequest, reason: "the request has no address")
            }
            if !body.isEmpty { urlRequest.httpBody = body }
            urlRequest.setValue(request.takesGzip ? "gzip" : "identity", forHTTPHeaderField: "Accept-Encoding")
            // Foundation's timer restarts with every byte: it must not end an exchange before the limit for the whole
            // exchange.
            urlRequest.timeoutInterval = ExchangeProgress.longest + 60
            let task = session.dataTask(with: urlRequest)
            let exchange = Exchange(
                request: request, limits: limits, now: now, sleep: sleep, head: head, part: part)
            exchanges.add(exchange, task)
            try await exchange.run {
                task.resume()
                return { task.cancel() }
            }
        }
    }
#endif
