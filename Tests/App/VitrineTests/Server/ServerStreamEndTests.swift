import Foundation
import Synchronization
import Testing
import VitrineCatalog
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Ends of the stream of a customer's changes, and of its connections.
@Suite(.hangLimit) struct ServerStreamEndTests: ServerScene {
    let stage: ServerStage
    private let sleep = ManualSleep()

    init() async throws { stage = try await ServerStage() }

    private var retries: RetrySchedule {
        RetrySchedule(
            first: .seconds(2), longest: .seconds(300), random: { 1 }, sleep: { [sleep] in try await sleep.sleep($0) })
    }

    private static func event(_ sequence: Int) -> Data {
        Data("id: \(sequence)\ndata: {\"sequence\":\(sequence)}\n\n".utf8)
    }

    /// Connection of a stream of changes that remains open.
    private struct OpenStream {
        let parts: AsyncStream<Data>.Continuation
        /// Ends when the connection has ended.
        let ends: AsyncStream<Void>
    }

    /// Has the server answer the next request for the stream with an open connection, which has sent an event.
    private func open(_ sequence: Int) -> OpenStream {
        let (stream, parts) = AsyncStream<Data>.makeStream()
        let (ends, ended) = AsyncStream<Void>.makeStream()
        parts.onTermination = { _ in ended.finish() }
        server.answerNext(
            "GET", "/v1/me/events",
            .stream(LoopbackServer.Answer.head("Content-Type: text/event-stream") + Self.event(sequence), stream))
        return OpenStream(parts: parts, ends: ends)
    }

    private var connections: Int { server.requests.count { $0 == "GET /v1/me/events" } }

    // MARK: Connections

    @Test func `after a connection of a minute, the stream of changes connects again within 30 seconds`() async throws {
        let phone = try await makeDevice("phone")
        let instant = Mutex(ContinuousClock.now)
        let moment: @Sendable () -> ContinuousClock.Instant = { instant.withLock { $0 } }
        server.answerNext("GET", "/v1/me/events", .reset)
        let first = open(1)
        var changes = phone.server.changes(retries: retries, instant: moment).makeAsyncIterator()
        #expect(await sleep.begun() == .seconds(2.5))
        sleep.wake()
        #expect(try await changes.next() == 1)
        instant.withLock { $0 += .seconds(59) }
        first.parts.finish()
        #expect(await sleep.begun() == .seconds(5))

        let second = open(2)
        sleep.wake()
        #expect(try await changes.next() == 2)
        instant.withLock { $0 += .seconds(60) }
        second.parts.finish()
        #expect(await sleep.begun() == .seconds(30))
        // The delays begin again.
        server.answerNext("GET", "/v1/me/events", .reset)
        sleep.wake()
        #expect(await sleep.begun() == .seconds(2.5))
    }

    // MARK: Refusals

    @Test func `the stream of changes renews a refused token once, and fails if the new one is refused too`()
        async throws
    {
        let phone = try await makeDevice("phone")
        let refusal = SampleServer.errorResponse(401, "unauthenticated", "No.")
        server.answerNext("GET", "/v1/me/events", refusal)
        let connection = open(1)
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        #expect(server.requests.count { $0 == "POST /v1/devices/me/token" } == 1)
        for _ in 0..<2 { server.answerNext("GET", "/v1/me/events", refusal) }
        connection.parts.finish()
        _ = await sleep.begun()
        sleep.wake()
        let error = await #expect(throws: AppServerError.self) { try await changes.next() }
        #expect(error?.code == .unauthenticated)
        #expect(connections == 4)
    }

    @Test func `the stream of changes fails if the server forbids it`() async throws {
        let phone = try await makeDevice("phone")
        server.answerNext("GET", "/v1/me/events", SampleServer.errorResponse(403, "forbidden", "Log in."))
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        let error = await #expect(throws: AppServerError.self) { try await changes.next() }
        #expect(error?.code == .forbidden)
        #expect(connections == 1)
    }

    @Test func `the stream of changes fails after the device has left the server, and does not enroll it again`()
        async throws
    {
        let phone = try await makeDevice("phone")
        let connection = open(1)
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        try await phone.server.leave()
        connection.parts.finish()
        _ = await sleep.begun()
        sleep.wake()
        let error = await #expect(throws: AppServerError.self) { try await changes.next() }
        #expect(error?.code == .unauthenticated)
        #expect(try credentials("phone") == nil)
        #expect(server.requests.count { $0 == "POST /v1/devices" } == 1)
    }

    // MARK: Ends

    @Test func `the connection of the stream of changes ends when the reader is canceled`() async throws {
        let phone = try await makeDevice("phone")
        let connection = open(1)
        let (received, receive) = AsyncStream<Int64>.makeStream()
        let reader = Task {
            for try await sequence in phone.server.changes(retries: retries) { receive.yield(sequence) }
        }
        #expect(await received.first { _ in true } == 1)
        reader.cancel()
        for await _ in connection.ends {}
        _ = await reader.result
        #expect(connections == 1)
    }

    @Test func `the stream of changes and its connection end when the manager stops`() async throws {
        let phone = try await makeDevice("phone")
        let connection = open(1)
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        await phone.stop()
        for await _ in connection.ends {}
        await #expect(throws: CancellationError.self) { try await changes.next() }
        // A stream that begins later ends at once.
        var later = phone.server.changes(retries: retries).makeAsyncIterator()
        await #expect(throws: (any Error).self) { try await later.next() }
    }

    // MARK: Accounts

    private func device(of customer: String) async throws -> SimulatedStore {
        let device = try voyager.store.device("phone", of: customer)
        try await device.setOriginalPurchase(
            OriginalPurchase(version: "900", date: voyager.clock.now, platform: .iOS))
        return device
    }

    @Test func `after another App Store account has signed in, the stream of changes is that of its device`()
        async throws
    {
        let (anna, ben) = (try await device(of: "anna"), try await device(of: "ben"))
        let isBen = Recorder<Void>()
        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in
            try await (isBen.values.isEmpty ? anna : ben).appTransaction()
        }
        let phone = try await makeDevice("phone", store: store) { $0.purchases.accounts = .separate }
        #expect(await buy("lisbon", with: phone) == "charged")
        let connection = open(1)
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 1)
        let place = phone.accountPlace

        isBen.record(())
        try await phone.server.enroll()
        #expect(phone.accountPlace != place)
        _ = open(3)
        connection.parts.yield(Self.event(2))
        _ = await sleep.begun()
        sleep.wake()
        #expect(try await changes.next() == 3)
        let token = try CredentialFile(url: phone.accountPlace.credentials).credentials()?.enrollment?.token
        let request = try #require(server.received.last { $0.path == "/v1/me/events" })
        #expect(request.headers["authorization"] == "Bearer \(try #require(token))")
        await phone.stop()
    }
}
