#if os(Linux)
    internal import AsyncHTTPClient
    public import Foundation
    public import HTTPTypes
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression
    internal import NIOSSL

    /// Transport that sends requests with swift-server's AsyncHTTPClient over HTTP/1.1.
    ///
    /// The transport requires `https` and checks the server's certificate against the root certificates of the system.
    /// Plain `http` is limited to the hosts that ``PlainHTTP`` allows. No proxy is used. The transport requests gzip
    /// and decompresses it. A truncated reply is an error; truncation is detected by the length, the chunks or the gzip
    /// data. Without a length from the server, the end of the connection is the end of the reply.
    ///
    /// Every request uses its own connection, so that no request fails because a server has closed an old connection. A
    /// connection that is not established within 10 seconds is aborted. The head of a reply has at most 256 lines of 80
    /// KiB each, which are the limits of SwiftNIO's parser.
    public final class AsyncHTTPTransport: HTTPTransport {
        private let trustedRoots: URL?
        private let plainHTTP: PlainHTTP
        private let now: @Sendable () -> ContinuousClock.Instant
        private let sleep: @Sendable (Duration) async throws -> Void

        public convenience init(plainHTTP: PlainHTTP = .loopback) {
            self.init(plainHTTP: plainHTTP, sleep: { try await Task.sleep(for: $0) })
        }

        /// Creates a transport.
        ///
        /// - Parameters:
        ///   - trustedRoots: File with the only accepted root certificates, in PEM; `nil` for the roots of the system.
        ///   - now: Clock for timeouts.
        ///   - sleep: Function that waits for the end of a timeout.
        package init(
            plainHTTP: PlainHTTP = .loopback, trustedRoots: URL? = nil,
            now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
            sleep: @escaping @Sendable (Duration) async throws -> Void
        ) {
            self.trustedRoots = trustedRoots
            self.plainHTTP = plainHTTP
            self.now = now
            self.sleep = sleep
        }

        /// Configuration of the client of one request. It is created on demand, because most processes make no request.
        private var configuration: HTTPClient.Configuration {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            if let trustedRoots { tls.trustRoots = .file(trustedRoots.path(percentEncoded: false)) }
            var configuration = HTTPClient.Configuration(
                tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
            configuration.httpVersion = .http1Only
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.http1_1ConnectionDebugInitializer = ResponseStatusGuard.watch
            return configuration
        }

        public func objection(to url: URL) -> String? { plainHTTP.objection(to: url) }

        public func receive(
            _ request: HTTPRequest, body: Data, limits: HTTPLimits,
            head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
            part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
        ) async throws(HTTPTransportError) {
            let clientRequest = HTTPClientRequest(request, url: try request.address(plainHTTP: plainHTTP), body: body)
            let exchange = Exchange(
                request: request, limits: limits, now: now, sleep: sleep, head: head, part: part)
            var configuration = configuration
            if request.takesGzip { configuration.decompression = .enabled(limit: .size(limits.size)) }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            try await exchange.run {
                let work = Task {
                    await exchange.carryOut(clientRequest, client)
                    // The shutdown completes in the background.
                    client.shutdown { _ in }
                }
                return { work.cancel() }
            }
        }
    }

    extension Exchange {
        fileprivate func carryOut(_ request: HTTPClientRequest, _ client: HTTPClient) async {
            do {
                let reply = try await client.execute(request, deadline: .distantFuture)
                let response = HTTPResponse(reply)
                receive(response)
                // A reply without a body cannot be truncated, even if it is marked as gzip.
                if hasBody(response) {
                    for try await part in reply.body { receive(Data(part.readableBytesView)) }
                }
                complete()
            } catch NIOHTTPDecompression.DecompressionError.limit {
                giveUpTooLarge()
            } catch {
                end(.failure(HTTPTransportError(error)))
            }
        }
    }
#endif
