#if canImport(Darwin)
    internal import Foundation

    /// Notifications about changed files. On Apple platforms, files are checked at intervals.
    enum FolderChanges {
        static let checkInterval = Duration.milliseconds(500)

        /// Returns an empty stream.
        static func stream(of folders: Set<URL>) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }
#endif
