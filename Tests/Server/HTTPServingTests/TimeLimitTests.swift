import Testing
import VitrineHTTPServing
import VitrineTestSupport

/// Time limit of tasks that share one timer.
@Suite(.hangLimit) struct TimeLimitTests {
    private struct Fault: Error, Hashable {}

    private let short = TimeLimit(.milliseconds(5))
    private let long = TimeLimit(.seconds(3_600))

    /// Waits until the task is canceled.
    private static func waitForCancellation() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }

    @Test func `a task that ends before its time limit keeps its result or its error`() async throws {
        #expect(try await long.run { 1 } == 1)
        await #expect(throws: Fault()) { try await long.run { () async throws -> Int in throw Fault() } }
        #expect(long.count == 0)
    }

    @Test func `each task that reaches its time limit is canceled, also when the timer starts again`() async throws {
        for _ in 0..<3 {
            let results = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<3 {
                    group.addTask { [short] in
                        try await short.run {
                            await Self.waitForCancellation()
                            return number
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == [nil, nil, nil])
            #expect(short.count == 0)
        }
    }

    @Test func `canceling a waiting task also cancels the task with a time limit that it waits for`() async {
        let waiting = Task { [long] in
            try await long.run {
                await Self.waitForCancellation()
                try Task.checkCancellation()
            }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(long.count == 0)
    }
}
