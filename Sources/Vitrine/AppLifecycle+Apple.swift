#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    internal import UIKit

    // Not built or run on Linux.
    extension CatalogManager {
        /// Calls ``enterForeground()`` whenever the app comes to the foreground, until the calling task is canceled, or
        /// the app comes to the foreground after ``stop()``.
        public func watchForeground() async {
            let name = await UIApplication.didBecomeActiveNotification
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                guard !isStopped else { return }
                await enterForeground()
            }
        }
    }
#elseif canImport(AppKit)
    internal import AppKit
    public import Foundation

    // Not built or run on Linux.
    extension CatalogManager {
        /// Calls ``enterForeground()`` whenever the app comes to the foreground, until the calling task is canceled, or
        /// the app comes to the foreground after ``stop()``.
        public func watchForeground() async {
            let name = NSApplication.didBecomeActiveNotification
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                guard !isStopped else { return }
                await enterForeground()
            }
        }
    }
#endif
