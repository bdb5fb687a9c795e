internal import AsyncHTTPClient
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Service that delivers the notifications of a store, one after the other, when they are due by the store's clock.
/// Among several processes with the same store, only one delivers.
struct NotificationDelivery: Service {
    let store: SimulatedStore
    /// Timeout in seconds for the response of a receiver.
    let limit: TimeInterval
    /// Sleep between two polls.
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger
    /// Closure that is called when the service begins to deliver, or has found that another process delivers.
    let onBegin: @Sendable () -> Void

    /// Interval between two polls of the store, which other processes may have changed.
    private static let interval = Duration.milliseconds(100)

    func run() async throws {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await cancelWhenGracefulShutdown { try await deliver(with: client) }
        } catch is CancellationError {
            // The server ends: due notifications remain in the store.
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: .milliseconds(Int64(limit * 1_000)), read: .milliseconds(Int64(limit * 1_000)))
        // The first failure to connect is the result of the attempt.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private func deliver(with client: HTTPClient) async throws {
        let right = try await awaitRight()
        defer { withExtendedLifetime(right) {} }
        while true {
            do throws(SimulatedStoreError) {
                while let due = try await store.dueNotification() {
                    let result = await attempt(due, with: client)
                    // An attempt that the end of the server interrupts is repeated later.
                    if Task.isCancelled { break }
                    try await store.record(result, of: due.number)
                    logger.info("notification \(due.number): \(result.rawValue)")
                }
            } catch {
                logger.error("\(error.reason)")
            }
            try await sleep(Self.interval)
        }
    }

    /// Waits until this process has the exclusive right to deliver. Only the first attempt to get it throws. Later
    /// attempts are repeated after an error, because a server with the maximum number of connections cannot open files.
    ///
    /// - Throws: `SimulatedStoreError` if the store's folder cannot be used; `CancellationError`.
    private func awaitRight() async throws -> DeliveryRight {
        var right = try store.beginDelivery()
        onBegin()
        while true {
            if let right { return right }
            try await sleep(Self.interval)
            do throws(SimulatedStoreError) {
                right = try store.beginDelivery()
            } catch {
                logger.error("\(error.reason)")
            }
        }
    }

    private func attempt(_ due: DueNotification, with client: HTTPClient) async -> DeliveryResult {
        struct Body: Encodable {
            let signedPayload: String
        }
        do {
            var request = HTTPClientRequest(url: due.url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            // Without this field, a notification could be sent over a connection that the receiver is closing.
            request.headers.add(name: "Connection", value: "close")
            request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(Body(signedPayload: due.signedPayload))))
            let response = try await client.execute(
                request, timeout: .milliseconds(Int64(limit * 1_000)), logger: logger)
            return Self.result(of: response, from: due.url)
        } catch {
            return Self.result(of: error)
        }
    }

    private static func result(of response: HTTPClientResponse, from url: String) -> DeliveryResult {
        let status = response.status.code
        if (200...206).contains(status) { return .success }
        if (300...399).contains(status), let location = response.headers.first(name: "Location"),
            let base = URL(string: url), URL(string: location, relativeTo: base)?.absoluteURL == base.absoluteURL
        {
            return .circularRedirect
        }
        return .unsuccessfulStatus
    }

    /// Error numbers of a connection that could not be established.
    private static let unreached = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH]

    private static func result(of error: any Error) -> DeliveryResult {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                return .timedOut
            case .remoteConnectionClosed: return .prematureClose
            default: return .other
            }
        case is NIOConnectionError: return .noResponse
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return .tlsIssue
        case HTTPParserError.invalidEOFState: return .prematureClose
        case is HTTPParserError: return .invalidResponse
        // NIO reports NIOConnectionError only for host names; a numeric address fails with an IOError.
        case let error as IOError where unreached.contains(error.errnoCode): return .noResponse
        case is IOError, is ChannelError: return .socketIssue
        default: return .other
        }
    }
}
