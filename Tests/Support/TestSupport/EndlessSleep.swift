/// Sleeps until it is cancelled, however long it was asked to.
package func sleepUntilCancelled(_: Duration) async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
}
