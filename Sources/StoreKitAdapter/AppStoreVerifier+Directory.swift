internal import FileSystem
public import Foundation
public import Purchasing
internal import Receipts

extension AppStoreVerifier {
    /// Returns the directory for what this copy of the app stores: the given one in production, and one of its subdirectories
    /// in each other environment.
    ///
    /// What a tester got in the sandbox for nothing is so not owned when the App Store's build replaces that of TestFlight. In a
    /// launch in which the store does not name the environment, the last known one counts, or else production.
    ///
    /// - Throws: `StoreError` if the environment cannot be recorded in the directory.
    public func directory(in base: URL) async throws(StoreError) -> URL {
        let mark = base.appending(path: "environment", directoryHint: .notDirectory)
        let known = await environment()
        if let known {
            do {
                try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
                try DurableFile.write(Data(known.rawValue.utf8), to: mark)
            } catch {
                throw StoreError(
                    code: .storage, reason: "the environment cannot be recorded: \(BoundedFile.reason(for: error))")
            }
        }
        let environment = known ?? Self.environment(in: mark)
        guard environment != .production, Self.separate.contains(environment) else { return base }
        return base.appending(path: environment.rawValue, directoryHint: .isDirectory)
    }

    private static let separate: Set<StoreEnvironment> = [.sandbox, .xcode, .localTesting]

    private static func environment(in mark: URL) -> StoreEnvironment {
        guard let data = try? BoundedFile.read(mark, limit: 64) else { return .production }
        return StoreEnvironment(rawValue: String(decoding: data, as: UTF8.self))
    }
}
