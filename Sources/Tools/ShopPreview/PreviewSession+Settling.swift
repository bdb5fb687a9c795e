internal import Foundation
internal import Vitrine
internal import VitrinePurchasing
internal import VitrineStoreSimulator

extension PreviewSession {
    /// Time that the manager takes at most to deliver what the store has sent, beside the time for content.
    private static let longestDelivery = Duration.seconds(5)
    private static let interval = Duration.milliseconds(2)

    /// Waits until the manager has delivered what the store has sent to the app.
    ///
    /// - Parameter isOffline: `true` if the store sends nothing.
    func settle(isOffline: Bool) async {
        if !isOffline {
            let end = ContinuousClock.now + Self.longestDelivery
            // The manager delivers what the store sends without a call; only what is left is delivered by one.
            while await hasUnfinished, ContinuousClock.now < end, await pause() {}
            await manager.purchases.deliverUnfinished()
        }
        await manager.contentSettled()
    }

    /// Indicates that the app has not finished a transaction that it can deliver.
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
