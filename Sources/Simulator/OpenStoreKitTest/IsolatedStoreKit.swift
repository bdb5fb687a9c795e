public import Testing

/// Trait that gives each test a store of its own, so that tests with sessions can run in parallel.
public struct IsolatedStoreKitTrait: TestTrait, SuiteTrait, TestScoping {
    /// Indicates that the trait of a suite applies to each of its tests.
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
    /// Gives each test a store of its own. The test's sessions, its StoreKit calls and the tasks that it creates use
    /// this store; detached tasks do not.
    public static var isolatedStoreKit: Self { Self() }
}
