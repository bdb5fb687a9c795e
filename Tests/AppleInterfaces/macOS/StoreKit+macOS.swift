// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import AppKit
public import OpenStoreKit

extension Product {
    // macOS 15.2.
    public func purchase(
        confirmIn window: NSWindow, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { fatalError() }
}
