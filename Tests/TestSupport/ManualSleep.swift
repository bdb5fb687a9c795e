/// Sleeps until a test says that the time is over.
package struct ManualSleep: Sendable {
    private let asked = AsyncStream<Duration>.makeStream()
    private let wakes = AsyncStream<Void>.makeStream()

    package init() {}

    package func sleep(_ duration: Duration) async throws {
        asked.continuation.yield(duration)
        for await _ in wakes.stream { return }
        throw CancellationError()
    }

    /// Waits until somebody sleeps.
    ///
    /// - Returns: For how long.
    package func begun() async -> Duration? { await asked.stream.first { _ in true } }

    /// Ends the sleep that goes on, or else the next.
    package func wake() { wakes.continuation.yield() }
}
