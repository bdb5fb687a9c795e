#if canImport(Darwin)
    public import Foundation
    public import HTTPTypes
    internal import HTTPTypesFoundation

    // Not built or run on Linux.
    /// Sends requests with Foundation's `URLSession`.
    ///
    /// Addresses are `https`, with the system's check of the server's certificate; by plain `http` nobody is asked but whom
    /// ``PlainHTTP`` allows. A reply in gzip is asked for and comes unpacked. Where the server says how long its reply is,
    /// a shorter one is an error.
    ///
    /// Where the server says nothing of the length, the end of the connection is the end of the reply, and what a server
    /// has packed in part comes in part: what a reply has to be is for the caller to judge. All exchanges of a transport
    /// hand on one after the other.
    public final class URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let exchanges: RunningExchanges
        private let plainHTTP: PlainHTTP
        private let now: @Sendable () -> ContinuousClock.Instant
        private let sleep: @Sendable (Duration) async throws -> Void

        public convenience init(plainHTTP: PlainHTTP = .loopback) {
            self.init(plainHTTP: plainHTTP, sleep: { try await Task.sleep(for: $0) })
        }

        /// - Parameters:
        ///   - now: What timeouts are counted by.
        ///   - sleep: Waits for the end of a timeout.
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
            // Foundation's own timer starts again with every byte: it comes after that of the whole exchange.
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
