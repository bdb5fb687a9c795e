#if canImport(UIKit) || canImport(AppKit)
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
            for await _ in Self.activations() {
                guard !isStopped else { return }
                await enterForeground()
            }
        }

        /// Calls ``enterForeground()`` each time the app becomes active, until the manager is stopped or deallocated.
        func followForeground() {
            listen(to: Self.activations()) { manager, _ in await manager.enterForeground() }
        }

        /// Returns a stream with an element each time the app becomes active.
        private static func activations() -> AsyncStream<Void> {
            AsyncStream { continuation in
                let watch = Task {
                    // Apple documents the name as nonisolated in UIKit and as isolated to the main actor in AppKit. This
                    // compiles with either.
                    let name = await MainActor.run { Application.didBecomeActiveNotification }
                    for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                        continuation.yield()
                    }
                }
                continuation.onTermination = { _ in watch.cancel() }
            }
        }
    }
#endif
