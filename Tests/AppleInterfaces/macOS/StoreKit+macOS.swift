// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import AppKit

extension Product {
    @available(macOS 15.2, *)
    public func purchase(
        confirmIn window: NSWindow, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { fatalError() }
}
