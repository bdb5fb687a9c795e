#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    internal import UIKit

    // Not built or run on Linux.
    extension CatalogManager {
        /// Delivers what the store still holds whenever the app comes to the foreground, until the task that calls this
        /// is cancelled.
        public func deliverUnfinishedOnForeground() async {
            let name = await UIApplication.didBecomeActiveNotification
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                await deliverUnfinished()
            }
        }
    }
#elseif canImport(AppKit)
    internal import AppKit
    public import Foundation

    // Not built or run on Linux.
    extension CatalogManager {
        /// Delivers what the store still holds whenever the app comes to the foreground, until the task that calls this
        /// is cancelled.
        public func deliverUnfinishedOnForeground() async {
            let name = NSApplication.didBecomeActiveNotification
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in }) {
                await deliverUnfinished()
            }
        }
    }
#endif
