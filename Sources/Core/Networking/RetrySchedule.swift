/// Schedule of automatic retries, such as for waiting transactions, failed loads and interrupted downloads.
public struct RetrySchedule: Sendable {
    /// Delay before the first retry.
    public var first: Duration
    /// Maximum delay before a retry. The delay doubles with each retry, up to this value.
    public var longest: Duration
    /// Function that returns a random number from 0 to 1. Each delay is extended by up to a quarter, in proportion to
    /// this number, so that devices whose requests failed at the same time do not retry at the same time.
    public var random: @Sendable () -> Double
    /// Function that waits for a duration.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        first: Duration = .seconds(15), longest: Duration = .seconds(900),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.first = first
        self.longest = longest
        self.random = random
        self.sleep = sleep
    }

    /// Returns the delay before a retry.
    ///
    /// - Parameter attempt: Number of retries before this one; 0 for the first retry.
    public func delay(before attempt: Int) -> Duration {
        var delay = min(first, longest)
        for _ in 0..<min(max(0, attempt), 32) where delay < longest { delay = min(delay * 2, longest) }
        return delay + delay * (random() / 4)
    }
}
