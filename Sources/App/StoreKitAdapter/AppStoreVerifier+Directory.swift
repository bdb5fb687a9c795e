public import Foundation
internal import VitrineFileSystem
internal import VitrineReceipts

extension AppStoreVerifier {
    /// Returns the storage directory for the environment of this copy of the app: the given directory in production,
    /// and a subdirectory in each other environment.
    ///
    /// Separate directories prevent free purchases of the sandbox from being owned in production, when the App Store's
    /// build replaces the build of TestFlight. If the store does not name the environment in time, the suggested
    /// environment is used, or else the environment of the last launch, or else production. From then on only data of
    /// this environment is verified; data of another environment has to wait for the next launch.
    ///
    /// - Parameters:
    ///   - base: Directory of the app. A file in it stores the environment of the last launch; if the file cannot be
    ///     written, a later launch without an answer of the store lacks this environment.
    ///   - limit: Maximum time to wait for the store.
    ///   - sleep: Function that waits for a duration.
    public func directory(
        in base: URL, awaitingStoreFor limit: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> URL {
        await directory(in: base, suggesting: StoreKitStore.suggestedEnvironment, awaitingStoreFor: limit, sleep: sleep)
    }

    /// Returns the storage directory for the environment of this copy of the app, with a given suggested environment.
    ///
    /// - Parameter suggested: Environment to use if the store does not name one; `nil` for none.
    func directory(
        in base: URL, suggesting suggested: StoreEnvironment?, awaitingStoreFor limit: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> URL {
        let mark = base.appending(path: "environment", directoryHint: .notDirectory)
        let last = Self.environment(in: mark)
        let named = await environment(within: limit, sleep: sleep, recordingIn: mark, unlike: last)
        let environment = named ?? suggested ?? last ?? .production
        restrict(to: environment)
        guard Self.separate.contains(environment) else { return base }
        return base.appending(path: environment.rawValue, directoryHint: .isDirectory)
    }

    /// Environments with their own subdirectories. Any other name comes from received data, and is not used in a path.
    private static let separate: Set<StoreEnvironment> = [.sandbox, .xcode, .localTesting]

    /// Returns the environment of the last launch; `nil` if it is not known.
    private static func environment(in mark: URL) -> StoreEnvironment? {
        guard let data = try? BoundedFile.read(mark, limit: 64) else { return nil }
        let environment = StoreEnvironment(rawValue: String(decoding: data, as: UTF8.self))
        return environment == .production || separate.contains(environment) ? environment : nil
    }

    /// Returns the environment if the store names it in time; otherwise `nil`. The environment is recorded for the next
    /// launch, even if the store names it later.
    private func environment(
        within limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void, recordingIn mark: URL,
        unlike last: StoreEnvironment?
    ) async -> StoreEnvironment? {
        let (answers, continuation) = AsyncStream<StoreEnvironment?>.makeStream()
        Task {
            let named = await environment()
            if let named, named != last {
                // Errors are ignored: without the file, only a later launch without an answer of the store is affected.
                try? FileManager.default.createDirectory(
                    at: mark.deletingLastPathComponent(), withIntermediateDirectories: true)
                try? DurableFile.write(Data(named.rawValue.utf8), to: mark)
            }
            continuation.yield(named)
        }
        let timer = Task {
            do {
                try await sleep(limit)
                continuation.yield(nil)
            } catch {
                // The store has answered.
            }
        }
        defer { timer.cancel() }
        for await answer in answers { return answer }
        return nil
    }
}
