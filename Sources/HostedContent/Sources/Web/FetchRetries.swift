internal import Foundation

/// When a request that failed is made again.
///
/// What has failed `times` times without bringing content further fails; 64 KiB more are further.
public struct FetchRetries: Sendable {
    /// How many times a request is made again.
    public var times: Int
    /// How long to wait before the first time.
    public var first: Duration
    /// The wait doubles each time, up to this.
    public var longest: Duration
    /// A server that wants to be left alone for longer, by `Retry-After`, is not waited for.
    public var patience: Duration
    /// A random number from 0 to 1, by which up to a quarter is added to each wait.
    public var random: @Sendable () -> Double
    /// Waits.
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

/// The failures of one thing that is asked for, one after the other.
struct FetchAttempts {
    let retries: FetchRetries
    private var failures = 0

    init(_ retries: FetchRetries) { self.retries = retries }

    /// Something has come of it.
    mutating func reset() { failures = 0 }

    /// Waits for the time of the next attempt.
    ///
    /// - Throws: The error where there is none.
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
