internal import Vitrine
internal import VitrinePurchasing
internal import VitrineStoreSimulator

extension PreviewSession {
    /// Maximum time for the manager to deliver the store's transactions, not including downloads of content.
    private static let longestDelivery = Duration.seconds(5)
    private static let interval = Duration.milliseconds(2)

    /// Waits until the manager has delivered all transactions that the store has sent to the app.
    ///
    /// - Parameter isOffline: `true` if the store is offline and sends nothing.
    func settle(isOffline: Bool) async {
        if !isOffline {
            let end = ContinuousClock.now + Self.longestDelivery
            // The manager normally delivers transactions by itself; the explicit call delivers only those that remain.
            while await hasUnfinished, ContinuousClock.now < end, await pause() {}
            await manager.purchases.deliverUnfinished()
        }
        await manager.contentSettled()
    }

    /// Indicates that the store has unfinished transactions that the app can deliver.
    private var hasUnfinished: Bool {
        get async {
            do {
                let unfinished = try await store.unfinishedTransactions()
                guard !unfinished.isEmpty else { return false }
                let waiting = Set(await manager.purchases.pending().map(\.id))
                return !unfinished.allSatisfy { waiting.contains($0.id) }
            } catch {
                return false
            }
        }
    }

    /// Waits for one polling interval.
    ///
    /// - Returns: `false` if the task was canceled.
    private func pause() async -> Bool {
        do {
            try await Task.sleep(for: Self.interval)
            return true
        } catch {
            return false
        }
    }
}
