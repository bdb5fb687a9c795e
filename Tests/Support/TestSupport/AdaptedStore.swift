package import Foundation
package import Testing
package import VitrineCatalog
package import VitrinePurchasing
package import VitrineStoreSimulator

#if os(Linux)
    package import OpenStoreKit
    package import VitrineStoreKitAdapter

    extension StoreKitStore {
        /// Adapter that waits for the status of a subscription without a time limit, because tests keep the machine
        /// busy.
        package static var patient: StoreKitStore {
            StoreKitStore(statusLimit: { try? await sleepUntilCancelled(.zero) })
        }
    }

    /// Simulated store that is accessed through StoreKit's interface and the adapter for Apple's platforms.
    ///
    /// Receipts and hosted content are not part of StoreKit 2, and come from the simulated store.
    package final class AdaptedStore: Store {
        private let base: SimulatedStore
        private let adapter: StoreKitStore
        package let connection = StoreConnection()

        /// Creates the store as at a launch of the app.
        ///
        /// - Parameters:
        ///   - adapter: The adapter.
        ///   - listsFinishedConsumables: `true` to list finished consumables, as with the app's Info.plist key.
        ///   - confirmation: Closure that answers the dialogs of the store.
        package init(
            _ base: SimulatedStore, quirks: StoreQuirks = [], adapter: StoreKitStore = .patient,
            listsFinishedConsumables: Bool = false,
            confirmation: @escaping @Sendable (PurchaseDialog) async -> Bool = { _ in true }
        ) throws {
            self.base = base
            self.adapter = adapter
            connection.attach(
                try AttachedStore(
                    base, quirks: quirks, listsFinishedConsumables: listsFinishedConsumables,
                    confirmation: confirmation))
        }

        deinit { connection.detach() }

        private func connected<Value: Sendable>(
            _ body: () async throws(StoreError) -> Value
        ) async throws(StoreError) -> Value {
            let result = await StoreConnection.$isolated.withValue(connection) {
                () async -> Result<Value, StoreError> in
                do throws(StoreError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }

        package func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
            try await connected { () throws(StoreError) in try await adapter.products(for: identifiers) }
        }

        package func storefront() async throws(StoreError) -> String? {
            try await connected { () throws(StoreError) in try await adapter.storefront() }
        }

        package func storefrontChanges() -> AsyncStream<Void> {
            StoreConnection.$isolated.withValue(connection) { adapter.storefrontChanges() }
        }

        package func paymentRestriction() async -> String? {
            let restriction = await StoreConnection.$isolated.withValue(connection) {
                await adapter.paymentRestriction()
            }
            // StoreKit gives no reason. Tests expect that of the simulated store.
            return restriction == nil ? nil : await base.paymentRestriction()
        }

        package func purchase(
            _ identifier: String, options: PurchaseOptions
        ) async throws(StoreError) -> StorePurchaseAnswer {
            try await connected { () throws(StoreError) in try await adapter.purchase(identifier, options: options) }
        }

        package func restore() async throws(StoreError) -> [StoreTransaction] {
            try await connected { () throws(StoreError) in try await adapter.restore() }
        }

        package func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
            try await connected { () throws(StoreError) in try await adapter.knownTransactions() }
        }

        package func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
            try await connected { () throws(StoreError) in try await adapter.subscriptionTransactions() }
        }

        package func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
            try await connected { () throws(StoreError) in try await adapter.unfinishedTransactions() }
        }

        package func finish(_ transaction: StoreTransaction) async throws(StoreError) {
            try await connected { () throws(StoreError) in try await adapter.finish(transaction) }
        }

        package func appTransaction() async throws(StoreError) -> String? {
            // There is no customer of the App Store without one.
            guard try await base.appTransaction() != nil else { return nil }
            return try await connected { () throws(StoreError) in try await adapter.appTransaction() }
        }

        package var deviceVerificationID: UUID? {
            StoreConnection.$isolated.withValue(connection) { adapter.deviceVerificationID }
        }

        package func updates() -> AsyncStream<StoreTransaction> {
            StoreConnection.$isolated.withValue(connection) { adapter.updates() }
        }

        package func promotedPurchases() -> AsyncStream<PromotedPurchase> {
            StoreConnection.$isolated.withValue(connection) { adapter.promotedPurchases() }
        }

        // MARK: No part of StoreKit 2

        package func promotedPurchaseAnswered(_ identifier: String) async {
            await base.promotedPurchaseAnswered(identifier)
        }

        package func appReceipt() async throws(StoreError) -> Data? { try await base.appReceipt() }

        package func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
            try await base.refreshAppReceipt(request)
        }

        package var sheets: (any StoreSheets)? { base.sheets }

        package var content: (any StoreHostedContent)? { base.content }
    }
#endif

extension SimulatedStore {
    /// Store as at a launch of the app: accessed through the StoreKit adapter if the environment variable VITRINE_STORE
    /// is `adapter`.
    package var launched: any Store {
        #if os(Linux)
            if ProcessInfo.processInfo.usesAdapter {
                do {
                    return try AdaptedStore(self)
                } catch {
                    preconditionFailure("the store has no certificate: \(error)")
                }
            }
        #endif
        return self
    }
}

extension ProcessInfo {
    /// `true` if the tests of managers run over the StoreKit adapter.
    fileprivate var usesAdapter: Bool { environment["VITRINE_STORE"] == "adapter" }
}

extension Trait where Self == ConditionTrait {
    /// Disables a test over the StoreKit adapter, because it expects of a store what StoreKit is not: one that sends nothing at
    /// launch although transactions are unfinished, or one whose errors have the simulated store's texts.
    package static var withoutAdapter: Self {
        .disabled(if: ProcessInfo.processInfo.usesAdapter, "it expects a store that differs from StoreKit")
    }
}
