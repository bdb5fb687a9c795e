import Foundation
import Testing
import VitrineAppServerAPI
import VitrineNetworking
import VitrineTestSupport

@testable import Vitrine

/// Stream of a customer's changes at the app's own server.
@Suite(.hangLimit) struct ServerChangesTests: ServerScene {
    let stage: ServerStage
    private let sleep = ManualSleep()

    init() async throws { stage = try await ServerStage() }

    /// Schedule with the longest random part of each delay.
    private var retries: RetrySchedule {
        RetrySchedule(
            first: .seconds(2), longest: .seconds(60), random: { 1 }, sleep: { [sleep] in try await sleep.sleep($0) })
    }

    private static func event(_ sequence: Int) -> String {
        ": unchanged\n\nid: \(sequence)\ndata: {\"sequence\":\(sequence)}\n\n"
    }

    /// Sequence numbers that the device has named in its requests for the stream.
    private var named: [String?] {
        server.received.filter { $0.path == "/v1/me/events" }.map { $0.headers["last-event-id"] }
    }

    @Test func `the stream of changes connects again after growing delays, and names the last event`() async throws {
        let phone = try await makeDevice("phone")
        server.change { $0.events = Self.event(3) }
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 3)
        // The server has ended the stream.
        #expect(await sleep.begun() == .seconds(2.5))
        server.answerNext(
            "GET", "/v1/me/events",
            SampleServer.errorResponse(503, "unavailable", "Later.", headers: ["Retry-After": "7"]))
        sleep.wake()
        #expect(await sleep.begun() == .seconds(7))
        server.answerNext("GET", "/v1/me/events", .reset)
        sleep.wake()
        #expect(await sleep.begun() == .seconds(10))
        server.change { $0.events = Self.event(5) }
        sleep.wake()
        #expect(try await changes.next() == 5)
        // A connection that ends soon is a failure too, although it has received something.
        #expect(await sleep.begun() == .seconds(20))
        server.change { $0.events = nil }
        sleep.wake()
        let error = await #expect(throws: AppServerError.self) { try await changes.next() }
        #expect(error?.code == .notFound)
        #expect(named == [nil, "3", "3", "3", "5"])
    }

    @Test func `after a merge of customers the stream of changes does not name an event of the former customer`()
        async throws
    {
        let phone = try await makeDevice("phone")
        server.change { $0.events = Self.event(3) }
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 3)
        _ = await sleep.begun()
        server.merge()
        sleep.wake()
        // The number is the same, and belongs to other facts.
        #expect(try await changes.next() == 3)
        // The request with the former token names the event, and the one with the new token does not.
        #expect(named == [nil, "3", nil])
    }

    @Test func `the stream of changes changes nothing on the device`() async throws {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        let history = try await phone.ledger.history()
        server.change { $0.events = Self.event(3) }
        var changes = phone.server.changes(retries: retries).makeAsyncIterator()
        #expect(try await changes.next() == 3)
        #expect(try await phone.ledger.history() == history)
    }

    struct Text: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let parts: [String]
        let sequences: [Int64]
    }

    @Test(arguments: [
        Text(testDescription: "two events", parts: [event(1) + event(2)], sequences: [1, 2]),
        Text(testDescription: "single bytes", parts: event(7).map { String($0) }, sequences: [7]),
        Text(testDescription: "carriage returns", parts: ["data: {\"sequence\":4}\r\n\r\n"], sequences: [4]),
        Text(testDescription: "comments", parts: [": unchanged\n\n", ": end\n\n"], sequences: []),
        // The time must not grow with the square of their number.
        Text(
            testDescription: "a million empty lines",
            parts: [String(repeating: "\n", count: 1_000_000) + event(5)], sequences: [5]),
        Text(testDescription: "half an event", parts: ["data: {\"sequence\":4}"], sequences: []),
    ])
    func `events are read from the lines of the stream, in whatever parts these arrive`(_ text: Text) throws {
        var lines = EventLines()
        let events = try text.parts.flatMap { try lines.events(in: Data($0.utf8)) }
        #expect(events.map(\.sequence) == text.sequences)
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let code: HTTPTransportErrorCode
    }

    @Test(arguments: [
        Flaw(testDescription: "a long line", text: String(repeating: "a", count: 65 * 1_024), code: .tooLarge),
        Flaw(testDescription: "another format", text: "data: soon\n", code: .refused),
    ])
    func `an unreadable event is an error`(_ flaw: Flaw) {
        var lines = EventLines()
        let error = #expect(throws: HTTPTransportError.self) { try lines.events(in: Data(flaw.text.utf8)) }
        #expect(error?.code == flaw.code)
    }
}
