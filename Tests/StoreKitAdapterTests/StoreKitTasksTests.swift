import TestSupport
import Testing

@testable import StoreKitAdapter

/// Waiting for answers of StoreKit.
@Suite(.timeLimit(.minutes(10))) struct StoreKitTasksTests {
    @Test func `the status of a subscription is not waited for without an end`() async {
        let limit = ManualSleep()
        async let answer = uncancelled(until: { try? await limit.sleep(.seconds(10)) }) {
            try? await sleepUntilCancelled(.zero)
            return "never"
        }
        #expect(await limit.begun() == .seconds(10))
        limit.wake()

        #expect(await answer == nil)
    }

    @Test func `an answer in time is taken`() async {
        let answer = await uncancelled(until: { try? await sleepUntilCancelled(.zero) }) { "in time" }

        #expect(answer == "in time")
    }
}
