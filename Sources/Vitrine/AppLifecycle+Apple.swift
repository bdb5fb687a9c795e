#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
    internal import Foundation
    #if canImport(UIKit)
        internal import UIKit

        private typealias Application = UIApplication
    #else
        internal import AppKit

        private typealias Application = NSApplication
    #endif

    // Not built or run on Linux.
    extension CatalogManager {
        /// Calls ``enterForeground()`` each time the app becomes active, until the calling task is cancelled, or the
        /// app becomes active after ``stop()``.
        public func watchForeground() async {
            // Apple documents the name as nonisolated in UIKit and as isolated to the main actor in AppKit. This
            // compiles with either.
            let name = await MainActor.run { Application.didBecomeActiveNotification }
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                guard !isStopped else { return }
                await enterForeground()
            }
        }
    }
#endif
