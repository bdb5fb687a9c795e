internal import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
public import VitrineNetworking
internal import VitrineSupport

extension CatalogManager.Server {
    /// Returns a stream of the customer's changes at the server, such as purchases on other devices and refunds: one
    /// element after each change, and one at the beginning. An element is a number that grows with each change. The
    /// stream itself changes nothing: the app can ``exchange(_:)``, or request the ``customerState(after:)``.
    ///
    /// If the server cannot be reached, the stream connects again, after increasing delays; no change is missed. A
    /// device that has not enrolled enrolls first. After another App Store account has signed in with
    /// ``AccountPolicy/separate``, the stream continues with the changes of its customer.
    ///
    /// - Parameter retries: Schedule of the connections, with the random part of the delays. A connection that has
    ///   lasted a minute is followed by another one within 30 seconds, after a random time.
    /// - Returns: A stream that fails with ``AppServerError`` if a further connection cannot succeed, such as
    ///   `forbidden`, or `unauthenticated` after the device has left the server, and with a `CancellationError` if the
    ///   schedule's wait is canceled or the manager stops.
    public func changes(
        retries: RetrySchedule = RetrySchedule(first: .seconds(2), longest: .seconds(300))
    ) -> AsyncThrowingStream<Int64, any Error> {
        changes(retries: retries) { .now }
    }

    /// - Parameter instant: Clock that measures how long a connection lasts.
    func changes(
        retries: RetrySchedule, instant: @escaping @Sendable () -> ContinuousClock.Instant
    ) -> AsyncThrowingStream<Int64, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = manager.changeReaders.start {
                do {
                    try await ChangeReader(server: self, instant: instant).run(retries) { continuation.yield($0) }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Reader of the stream of a customer's changes, which connects again after each end of a connection.
private struct ChangeReader {
    let server: CatalogManager.Server
    let instant: @Sendable () -> ContinuousClock.Instant

    /// Maximum time in seconds without a byte from the server, which sends a comment every 25 seconds.
    private static let silence: TimeInterval = 60
    /// Maximum duration of a connection in seconds.
    private static let longest: TimeInterval = 86_400
    /// Duration from which on a connection is not a failure. Shorter ones are, even if they receive something: a server
    /// may end one for another reader of the same device.
    private static let lasting = Duration.seconds(60)
    /// Maximum delay after a lasting connection. The server ends all streams when it restarts, and the devices must not
    /// come back at the same time.
    private static let spread = Duration.seconds(30)

    private final class Position: Sendable {
        struct State: Sendable {
            /// Customer and sequence number of the last event that was received.
            var customer: UUID?
            var sequence: Int64?
            /// Storage directory of the last connection's App Store account; `nil` before the first connection.
            var place: Home?
            /// Moment of the first event or comment of the present connection; `nil` before.
            var start: ContinuousClock.Instant?
        }

        let state = Locked(State())
    }

    func run(_ retries: RetrySchedule, _ send: @escaping @Sendable (Int64) -> Void) async throws {
        let position = Position()
        var failures = 0
        while !Task.isCancelled {
            position.state.withLock { $0.start = nil }
            var wait = Duration.zero
            do throws(AppServerError) {
                try await connect(position, send)
            } catch {
                guard error.code.isTemporary || error.code == .tooLarge else { throw error }
                wait = .seconds(error.context ?? 0)
            }
            let delay: Duration
            if let start = position.state.withLock({ $0.start }), instant() - start >= Self.lasting {
                failures = 0
                delay = Self.spread * retries.random()
            } else {
                delay = retries.delay(before: failures)
                failures += 1
            }
            try await retries.sleep(max(delay, wait))
        }
        throw CancellationError()
    }

    /// Receives events until the connection ends.
    private func connect(
        _ position: Position, _ send: @escaping @Sendable (Int64) -> Void
    ) async throws(AppServerError) {
        let place = server.manager.accountPlace
        let session = try server.makeSession { place }
        var enrollment: DeviceCredentials.Enrollment
        if position.state.withLock({ $0.place == place }) {
            // Only the first connection enrolls the device, which may have left since.
            guard let present = try session.enrollment() else { throw .left }
            enrollment = present
        } else {
            enrollment = try await session.ready()
            position.state.withLock { $0.place = place }
        }
        if try await receive(enrollment, session, position, send) == .unauthorized {
            enrollment = try await session.renewedEnrollment(after: enrollment)
            guard try await receive(enrollment, session, position, send) != .unauthorized else {
                throw AppServerError(
                    code: .unauthenticated, reason: "the server refuses the device's new token")
            }
        }
    }

    /// - Returns: Status of a reply that the server has refused because of the token; otherwise that of the stream.
    private func receive(
        _ enrollment: DeviceCredentials.Enrollment, _ session: ServerSession, _ position: Position,
        _ send: @escaping @Sendable (Int64) -> Void
    ) async throws(AppServerError) -> HTTPResponse.Status {
        let endpoint = AppServerAPI.events
        var request = ServerClient.Request(endpoint)
        // A compressed event may stay in a buffer.
        request.fields[.acceptEncoding] = "identity"
        // The numbers of another customer say nothing about this one.
        request.fields[.lastEventID] = position.state.withLock { position in
            position.customer == enrollment.customer ? position.sequence.map(String.init) : nil
        }
        let message = try session.client.message(request, token: enrollment.token)
        let options = session.options
        let reply = Locked<(response: HTTPResponse?, body: Data)>((nil, Data()))
        let lines = Locked(EventLines())
        do throws(HTTPTransportError) {
            try await options.transport.receive(
                message, body: Data(),
                limits: HTTPLimits(
                    size: endpoint.replyLimit, firstByte: options.timeout, stall: Self.silence, whole: Self.longest)
            ) { response in
                reply.withLock { $0.response = response }
            } part: { data throws(HTTPTransportError) in
                guard reply.withLock({ $0.response?.status == .ok }) else {
                    return reply.withLock { if $0.body.count < EventLines.longest { $0.body.append(data) } }
                }
                let events = try lines.withLock { (lines) throws(HTTPTransportError) in try lines.events(in: data) }
                let place = position.state.withLock { position in
                    if position.start == nil { position.start = instant() }
                    return position.place
                }
                guard server.manager.accountPlace == place else {
                    throw HTTPTransportError(code: .connection, reason: "another App Store account has signed in")
                }
                for event in events {
                    position.state.withLock { ($0.customer, $0.sequence) = (enrollment.customer, event.sequence) }
                    send(event.sequence)
                }
            }
        } catch {
            throw AppServerError(error, at: session.client.options.url)
        }
        let (response, body) = reply.withLock { $0 }
        guard let response else { throw .format(endpoint.name) }
        guard response.status != .unauthorized else { return response.status }
        return try session.client.checked(HTTPReply(response: response, body: body)).response.status
    }
}

/// Lines of a stream of server-sent events, of which only the field `data` is read.
struct EventLines: Sendable {
    /// Maximum length of a line in bytes.
    static let longest = 64 * 1_024

    private var rest = Data()

    init() {}

    /// Returns the events in the next bytes of the stream.
    ///
    /// - Throws: `HTTPTransportError` `tooLarge` for a line that is too long, `refused` for data of another format.
    mutating func events(in data: Data) throws(HTTPTransportError) -> [ChangeEvent] {
        var (events, unread): ([ChangeEvent], Data) = ([], data)
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest + unread[..<end]
            (rest, unread) = (Data(), unread[(end + 1)...])
            guard line.starts(with: "data:".utf8) else { continue }
            guard let event = try? ChangeEvent(encoded: Data(line.dropFirst("data:".utf8.count))) else {
                throw HTTPTransportError(code: .refused, reason: "an event of the server has another format")
            }
            events.append(event)
        }
        rest += unread
        guard rest.count <= Self.longest else {
            throw HTTPTransportError(code: .tooLarge, reason: "a line of the server's events is too long")
        }
        return events
    }
}
