public import Foundation
internal import VitrineFileSystem
public import VitrineReceipts

extension AppStoreVerifier {
    /// Returns the storage directory for the environment of this copy of the app: the given directory in production,
    /// and a subdirectory in each other environment.
    ///
    /// Separate directories prevent free purchases of the sandbox from being owned in production, when the App Store's
    /// build replaces the build of TestFlight. From then on only data of this environment is verified; data of another
    /// environment has to wait for the next launch.
    ///
    /// The environment is the first of these that is known:
    ///
    /// 1. the environment that the app passes;
    /// 2. in a debug build on a device, the environment in the app transaction, if StoreKit returns it in time;
    /// 3. the environment in an app transaction of an earlier launch, unless the app receipt has changed since then;
    /// 4. the environment that the app receipt of the device names;
    /// 5. production, or for a debug build Xcode's store in a simulator and the sandbox on a device.
    ///
    /// A released app does not ask StoreKit here, because StoreKit may ask the customer to sign in.
    ///
    /// - Parameters:
    ///   - base: Directory of the app. A file in it stores the environment that the app transaction has named; if the file
    ///     cannot be written, a later launch cannot use item 3.
    ///   - environment: Environment of this copy of the app; `nil` to determine it. StoreKit is then not asked for the
    ///     app transaction.
    ///   - limit: Maximum time to wait for the store.
    ///   - sleep: Function that waits for a duration.
    public func directory(
        in base: URL, for environment: StoreEnvironment? = nil, awaitingStoreFor limit: Duration = .seconds(2),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async -> URL {
        let launch = await launchEnvironment(given: environment, in: base, within: limit, sleep: sleep)
        guard Self.separate.contains(launch) else { return base }
        return base.appending(path: launch.rawValue, directoryHint: .isDirectory)
    }

    private func launchEnvironment(
        given: StoreEnvironment?, in base: URL, within limit: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> StoreEnvironment {
        if let given {
            begin(in: given, isCertain: true)
            return given
        }
        let evidence = await evidence()
        let record = EnvironmentRecord(
            file: base.appending(path: "environment", directoryHint: .notDirectory), evidence: evidence.named)
        recordEnvironment { record.write($0) }
        var launch = record.read() ?? evidence.named ?? evidence.assumed
        // An answer after this time is recorded for the next launch.
        if evidence.asksStore,
            let named = await uncancelled(until: { try? await sleep(limit) }, { [self] in await environment() }) ?? nil
        {
            launch = named
        }
        begin(in: launch, isCertain: false)
        return launch
    }

    /// Environments with their own subdirectories. Any other name comes from received data, and is not used in a path.
    private static let separate: Set<StoreEnvironment> = [.sandbox, .xcode, .localTesting]

    /// File with the environment that an app transaction has named, and what the app receipt named at that time. If the
    /// receipt names another environment now, another build of the app has replaced the one of the record.
    private struct EnvironmentRecord: Sendable {
        let file: URL
        let evidence: StoreEnvironment?

        func read() -> StoreEnvironment? {
            guard let data = try? BoundedFile.read(file, limit: 64) else { return nil }
            let names = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            guard let name = names.first, String(names.dropFirst().first ?? "") == evidence?.rawValue ?? "" else {
                return nil
            }
            let environment = StoreEnvironment(rawValue: String(name))
            return environment == .production || separate.contains(environment) ? environment : nil
        }

        /// Records an environment. Errors are ignored: without the file, only a later launch is affected.
        func write(_ environment: StoreEnvironment) {
            let text = [environment, evidence].compactMap { $0?.rawValue }.joined(separator: "\n")
            guard text.utf8.count <= 64 else { return }
            let data = Data(text.utf8)
            guard (try? BoundedFile.read(file, limit: 64)) != data else { return }
            try? FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? DurableFile.write(data, to: file)
        }
    }
}
