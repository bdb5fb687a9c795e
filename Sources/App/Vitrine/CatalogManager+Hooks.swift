internal import VitrineHostedContent
internal import VitrinePurchasing

/// Calls that are made within functions of the app for which the manager waits. No work of the manager is waited for
/// there, because it may wait for the function that makes the call.
extension CatalogManager {
    /// Makes a call, and waits for its end. Within a hook of the app the call is only begun.
    ///
    /// - Returns: `nil` within a hook.
    @discardableResult
    func unlessWithinHook<Value: Sendable>(
        _ call: @escaping @Sendable (CatalogManager) async -> Value
    ) async -> Value? {
        guard hookCalls.isInside else { return await call(self) }
        _ = HookCalls.outside { Task { await call(self) } }
        return nil
    }

    /// Returns the refusal of a purchase within a hook of the app; `nil` outside of hooks.
    nonisolated func refusalWithinHook(of identifier: String) -> PurchaseFailure? {
        guard hookCalls.isInside else { return nil }
        return PurchaseFailure(
            code: .withinHook, reason: StoreError.withinHook("a purchase of \(identifier)").reason)
    }

    /// Refuses a call that waits for deliveries within a hook of the app.
    nonisolated func checkOutsideHooks(_ call: String) throws(StoreError) {
        guard hookCalls.isInside else { return }
        throw .withinHook(call)
    }

    /// Refuses a call that waits for a download within the app's decision about one.
    nonisolated func checkOutsideDownloadDecision(_ call: String) throws(ContentError) {
        guard hookCalls.isInside({ $0 == .download }) else { return }
        throw ContentError(
            code: .notAllowed,
            reason: "\(call) cannot be waited for within the app's decision about a download, which holds it up")
    }
}

extension ManagerOptions {
    /// Returns the options with functions of the app whose calls count.
    func counted(by calls: HookCalls) -> ManagerOptions {
        var options = self
        options.purchases.hooks = calls.counting(purchases.hooks)
        if let permission = content.downloads.permission {
            options.content.downloads.permission = { request, length in
                await calls.run(.download) { await permission(request, length) }
            }
        }
        return options
    }
}
