import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct TransportTimeoutTests {
    private let sleep = ManualSleep()

    /// Returns a transport whose clock is stopped, so that only the sleep of the test causes a timeout.
    private func transport() -> DefaultTransport {
        let instant = ContinuousClock.now
        return DefaultTransport(now: { instant }, sleep: { [sleep] in try await sleep.sleep($0) })
    }

    private func reason(_ url: URL, _ limits: HTTPLimits) async -> String {
        do {
            let reply = try await transport().send(
                HTTPRequest(method: .get, url: url), body: Data(), limits: limits)
            return "a reply with status \(reply.response.status.code)"
        } catch {
            return error.code == .timeout ? error.reason : "\(error.code)"
        }
    }

    private static let limits = HTTPLimits(firstByte: 5, stall: 7, whole: 60)

    @Test(
        arguments: [
            ("no head", LoopbackServer.Answer.silence), ("a head without end", .endlessHead),
            ("only a provisional one", .bytes(Data("HTTP/1.1 100 Cont".utf8), then: .silence)),
        ]
    )
    func `a reply whose head does not arrive in time is aborted`(name: String, answer: LoopbackServer.Answer)
        async throws
    {
        let server = try await LoopbackServer(answer)
        async let reason = reason(server.url, Self.limits)
        await server.arrival()
        #expect(await sleep.begun() == .seconds(5))
        sleep.wake()

        #expect(await reason == "the reply did not begin within 5 s")
    }

    @Test func `a connection that is never established is aborted`() async throws {
        let address = try SilentAddress()
        async let reason = reason(address.url, Self.limits)
        #expect(await sleep.begun() == .seconds(5))
        sleep.wake()

        #expect(await reason == "the reply did not begin within 5 s")
    }

    @Test func `a stalled reply body is aborted at the stall limit`() async throws {
        let server = try await LoopbackServer(.broken(after: 10, of: 20, then: .silence))
        let waking = endSleeps(of: .seconds(7))
        #expect(
            await reason(server.url, Self.limits).hasPrefix("no more data was received for 7 s (bytes received: "))
        waking.cancel()
    }

    /// Ends each sleep of a duration, and no other: the sleep before the head of a reply has another duration, and may
    /// not begin if the head arrives early.
    private func endSleeps(of duration: Duration) -> Task<Void, Never> {
        Task { [sleep] in
            while let begun = await sleep.begun() {
                if begun == duration { sleep.wake() }
            }
        }
    }

    @Test func `an endless reply body is aborted at the time limit for the whole reply`() async throws {
        let server = try await LoopbackServer(.endless())
        let waking = endSleeps(of: .seconds(6))
        let limits = HTTPLimits(size: 1 << 30, firstByte: 5, stall: 7, whole: 6)
        #expect(await reason(server.url, limits) == "the reply was not complete within 6 s")
        waking.cancel()
    }

    @Test func `a reply that arrives in time is returned without a timeout`() async throws {
        let server = try await LoopbackServer(.reply())

        #expect(await reason(server.url, Self.limits) == "a reply with status 200")
    }

    @Test(arguments: [-1, 0, .nan, -.infinity] as [TimeInterval])
    func `a zero, negative or invalid time limit expires immediately`(seconds: TimeInterval) async throws {
        let server = try await LoopbackServer(.silence)
        sleep.wake()

        #expect(
            await reason(server.url, HTTPLimits(size: 9, seconds: seconds)) == "the reply was not complete within 0 s")
        #expect(await sleep.begun() == .zero)
    }

    @Test(arguments: [1e300, .infinity] as [TimeInterval])
    func `a time limit of more than a day is reduced to a day`(seconds: TimeInterval) async throws {
        let server = try await LoopbackServer(.silence)
        async let reason = reason(server.url, HTTPLimits(size: 9, seconds: seconds))
        #expect(await sleep.begun() == .seconds(86_400))
        sleep.wake()

        #expect(await reason == "the reply was not complete within \(86_400.formatted()) s")
    }
}
