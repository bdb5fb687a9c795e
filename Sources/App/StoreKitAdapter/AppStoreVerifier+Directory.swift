public import Foundation
internal import VitrineFileSystem
internal import VitrineReceipts

extension AppStoreVerifier {
    /// Returns the directory for what this copy of the app stores: the given one in production, and one of its subdirectories
    /// in each other environment.
    ///
    /// Separate directories keep purchases that cost nothing in the sandbox from being owned in production, when the build of the
    /// App Store replaces that of TestFlight. If the store does not name the environment in time, the suggested one counts, or else that of the last launch, or else production.
    /// From then on only data of that environment is verified: what another one signs waits for the next launch.
    ///
    /// - Parameters:
    ///   - base: Directory of the app. The environment of the last launch is a file in it; if that cannot be written, a launch
    ///     in which the store does not answer lacks it.
    ///   - limit: Time for which the store is awaited.
    ///   - sleep: Function that waits for a time.
    public func directory(
        in base: URL, awaitingStoreFor limit: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> URL {
        await directory(in: base, suggesting: StoreKitStore.suggestedEnvironment, awaitingStoreFor: limit, sleep: sleep)
    }

    /// - Parameter suggested: Environment that counts if the store does not name one; `nil` for none.
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

    /// Environments with a directory of their own. The name of any other one would come from the data.
    private static let separate: Set<StoreEnvironment> = [.sandbox, .xcode, .localTesting]

    /// Returns the environment of the last launch; `nil` if it is not known.
    private static func environment(in mark: URL) -> StoreEnvironment? {
        guard let data = try? BoundedFile.read(mark, limit: 64) else { return nil }
        let environment = StoreEnvironment(rawValue: String(decoding: data, as: UTF8.self))
        return environment == .production || separate.contains(environment) ? environment : nil
    }

    /// Returns the environment if the store names it in time. If it names it later, it is recorded for the next launch.
    private func environment(
        within limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void, recordingIn mark: URL,
        unlike last: StoreEnvironment?
    ) async -> StoreEnvironment? {
        let (answers, continuation) = AsyncStream<StoreEnvironment?>.makeStream()
        Task {
            let named = await environment()
            if let named, named != last {
                // Without the file, a later launch in which the store is silent lacks the environment, and nothing else.
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
