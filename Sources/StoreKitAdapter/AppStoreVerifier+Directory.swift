internal import FileSystem
public import Foundation
public import Purchasing
internal import Receipts

extension AppStoreVerifier {
    /// Returns the directory for what this copy of the app stores: the given one in production, and one of its subdirectories
    /// in each other environment.
    ///
    /// What a tester got in the sandbox for nothing is therefore not owned when the App Store's build replaces that of
    /// TestFlight. If the store does not name the environment in time, the one of the last launch counts, or else production.
    /// From then on only data of that environment is verified. The verification of other data is undetermined until the next
    /// launch.
    ///
    /// - Parameters:
    ///   - base: Directory of the app.
    ///   - limit: Maximum time for which the store is awaited if the environment is known from an earlier launch. If it is
    ///     not, the store is awaited until it answers or fails.
    ///   - sleep: Function that waits for a time.
    /// - Throws: `StoreError` if the environment cannot be recorded in the directory.
    public func directory(
        in base: URL, awaitingStoreFor limit: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws(StoreError) -> URL {
        let mark = base.appending(path: "environment", directoryHint: .notDirectory)
        let last = Self.environment(in: mark)
        let named = last == nil ? await environment() : await environment(within: limit, sleep: sleep)
        if let named, named != last {
            do {
                try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
                try DurableFile.write(Data(named.rawValue.utf8), to: mark)
            } catch {
                throw StoreError(
                    code: .storage, reason: "the environment cannot be recorded: \(BoundedFile.reason(for: error))")
            }
        }
        let environment = named ?? last ?? .production
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

    private func environment(
        within limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> StoreEnvironment? {
        let (answers, continuation) = AsyncStream<StoreEnvironment?>.makeStream()
        // It goes on if it takes longer: the verifier then knows the environment earlier.
        Task { continuation.yield(await environment()) }
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
