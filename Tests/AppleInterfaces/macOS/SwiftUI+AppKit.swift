// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import AppKit

@MainActor @preconcurrency
open class NSHostingController<Content: View>: NSViewController {
    public init(rootView: Content) { super.init() }

    public required init?(coder: NSCoder) { super.init(coder: coder) }
}
