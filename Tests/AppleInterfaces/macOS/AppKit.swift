// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
@_exported public import Foundation

@MainActor
open class NSResponder: NSObject {}

@MainActor
open class NSApplication: NSResponder {
    // Apple documents the name without nonisolated.
    public static let didBecomeActiveNotification = Notification.Name("")

    public static let shared = NSApplication()

    open var keyWindow: NSWindow? { fatalError() }
    open var mainWindow: NSWindow? { fatalError() }
}

@MainActor
open class NSViewController: NSResponder {
    public init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {}

    public required init?(coder: NSCoder) {}
}

@MainActor
open class NSWindow: NSResponder {}
