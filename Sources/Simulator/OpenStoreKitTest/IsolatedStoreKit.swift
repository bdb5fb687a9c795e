internal import OpenStoreKit
public import Testing

/// Trait that gives each test a store of its own: tests with sessions then run in parallel.
public struct IsolatedStoreKitTrait: TestTrait, SuiteTrait, TestScoping {
    /// Applies to each test of a suite.
    public var isRecursive: Bool { true }

    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let connection = StoreConnection()
        defer { connection.detach() }
        try await StoreConnection.$isolated.withValue(connection, operation: function)
    }
}

extension Trait where Self == IsolatedStoreKitTrait {
    /// Gives each test a store of its own: the sessions that it creates, and StoreKit's calls in it and in the tasks that it
    /// creates, but not in detached tasks.
    public static var isolatedStoreKit: Self { Self() }
}
