#if os(Linux)
    internal import Dispatch
    internal import Foundation

    /// Notifications about changed files, without a timer.
    enum FolderChanges {
        /// Interval at which files are checked although no change was reported, such as those of a network file system.
        static let checkInterval = Duration.seconds(2)

        /// Returns a stream with an element after each change of a file that is directly in one of the given folders.
        ///
        /// - Returns: An empty stream if the system cannot watch the folders.
        static func stream(of folders: Set<URL>) -> AsyncStream<Void> {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { return AsyncStream { $0.finish() } }
            let events = UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE)
            // A folder that does not exist yet is checked at intervals.
            for folder in folders { _ = inotify_add_watch(descriptor, folder.path(percentEncoded: false), events) }
            // `nonisolated(unsafe)`, because Linux's Dispatch does not declare that any thread may cancel a source.
            nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
            return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                source.setEventHandler {
                    var bytes = [UInt8](repeating: 0, count: 4_096)
                    while read(descriptor, &bytes, bytes.count) > 0 {}
                    continuation.yield()
                }
                source.setCancelHandler { close(descriptor) }
                continuation.onTermination = { _ in source.cancel() }
                source.activate()
            }
        }
    }
#endif
