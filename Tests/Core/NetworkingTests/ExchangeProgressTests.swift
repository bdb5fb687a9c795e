import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineNetworking

@Suite(.hangLimit) struct ExchangeProgressTests {
    private let beginning = ContinuousClock.now

    private func deadline(_ heard: [(second: Double, byteCount: Int)]) -> (after: Duration, reason: String) {
        var progress = ExchangeProgress(limits: HTTPLimits(firstByte: 5, stall: 7, whole: 20), beginning: beginning)
        for (second, byteCount) in heard { progress.advance(to: byteCount, at: beginning + .seconds(second)) }
        return (progress.deadline.instant - beginning, progress.deadline.reason)
    }

    @Test func `until the response head arrives, a request's deadline is the time limit for the first byte`() {
        #expect(deadline([]) == (.seconds(5), "the reply did not begin within 5 s"))
    }

    @Test func `after the response head, a request's deadline is the stall limit after the last received byte`() {
        #expect(deadline([(4, 0)]) == (.seconds(11), "no more data was received for 7 s (bytes received: 0)"))
        #expect(deadline([(4, 0), (10, 1)]) == (.seconds(17), "no more data was received for 7 s (bytes received: 1)"))
    }

    @Test func `received bytes do not extend the time limit for the whole reply`() {
        #expect(deadline([(4, 0), (10, 1), (13.5, 2)]) == (.seconds(20), "the reply was not complete within 20 s"))
    }
}
