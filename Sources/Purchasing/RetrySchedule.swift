/// When what waits is tried again by itself.
public struct RetrySchedule: Sendable {
    /// How long to wait before the first time.
    public var first: Duration
    /// The wait doubles each time, up to this.
    public var longest: Duration
    /// A random number from 0 to 1, by which up to a quarter is added to each wait: devices that failed together do not
    /// come back together.
    public var random: @Sendable () -> Double
    /// Waits.
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

    /// How long to wait before a time.
    ///
    /// - Parameter attempt: 0 for the first.
    public func delay(before attempt: Int) -> Duration {
        var delay = min(first, longest)
        for _ in 0..<min(max(0, attempt), 32) where delay < longest { delay = min(delay * 2, longest) }
        return delay + delay * (random() / 4)
    }
}
