import Testing
import VitrineTestSupport

@testable import VitrineStoreKitAdapter

/// Waiting for the results of StoreKit calls.
@Suite(.hangLimit) struct StoreKitTasksTests {
    @Test func `waiting for a response of StoreKit ends at the time limit`() async {
        let limit = ManualSleep()
        async let answer = uncancelled(until: { try? await limit.sleep(.seconds(10)) }) {
            try? await sleepUntilCancelled(.zero)
            return "never"
        }
        #expect(await limit.begun() == .seconds(10))
        limit.wake()

        #expect(await answer == nil)
    }

    @Test func `a response of StoreKit that arrives before the time limit is returned`() async {
        let answer = await uncancelled(until: { try? await sleepUntilCancelled(.zero) }) { "in time" }

        #expect(answer == "in time")
    }
}
