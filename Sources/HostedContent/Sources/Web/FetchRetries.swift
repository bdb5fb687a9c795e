internal import Foundation

/// Schedule of retries of a failed request.
///
/// A request fails for good after `times` retries without progress; 64 KiB more are progress.
public struct FetchRetries: Sendable {
    /// Number of retries.
    public var times: Int
    /// Wait before the first retry.
    public var first: Duration
    /// Longest wait; the wait doubles with each retry up to this.
    public var longest: Duration
    /// Longest `Retry-After` of a server for which a retry waits.
    public var patience: Duration
    /// A random number from 0 to 1, by which up to a quarter is added to each wait.
    public var random: @Sendable () -> Double
    /// Waits for a duration.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(
        times: Int = 4, first: Duration = .milliseconds(500), longest: Duration = .seconds(30),
        patience: Duration = .seconds(10), random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.times = times
        self.first = first
        self.longest = longest
        self.patience = patience
        self.random = random
        self.sleep = sleep
    }

    /// - Parameter attempt: 0 for the first.
    func delay(before attempt: Int) -> Duration {
        var delay = min(first, longest)
        for _ in 0..<min(max(0, attempt), 32) where delay < longest { delay = min(delay * 2, longest) }
        return delay + delay * (random() / 4)
    }
}

/// Consecutive failures of one request.
struct FetchAttempts {
    let retries: FetchRetries
    private var failures = 0

    init(_ retries: FetchRetries) { self.retries = retries }

    /// Resets the count, after progress.
    mutating func reset() { failures = 0 }

    /// Waits until the next attempt.
    ///
    /// - Throws: The error if there is no further attempt.
    mutating func wait(after error: ContentError) async throws(ContentError) {
        guard error.code == .network, failures < retries.times else { throw error }
        let asked = Duration.seconds(error.retryAfter ?? 0)
        guard asked <= retries.patience else { throw error }
        do {
            try await retries.sleep(max(retries.delay(before: failures), asked))
        } catch {
            throw ContentError(code: .cancelled, reason: "the download was cancelled")
        }
        failures += 1
    }
}
