/// Sleeps until the task is canceled, whatever the duration.
package func sleepUntilCancelled(_: Duration) async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}
