public import Foundation
internal import VitrineCatalog
public import VitrineEntitlements
package import VitrineReceipts
public import VitrineSupport

extension PurchaseQueue {
    /// Restores the purchases that the store reports, by recording them again. Nothing is removed except purchases that
    /// the store has revoked. Restoring does not wait for content; the content of an unfinished purchase is installed
    /// automatically, and a hook of the app is waited for only within the limit: its transaction is then among the
    /// failed ones. A call during another restore waits for that restore.
    ///
    /// - Parameter accountToken: The token of one of the app's accounts, which the app passed with the purchases.
    ///   Purchases with another token are not restored.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    public func restore(accountToken: UUID? = nil) async throws(StoreError) -> RestoreResult {
        if let running = restoring[accountToken] { return try await running.value.get() }
        let task = Task {
            let result: Result<RestoreResult, StoreError>
            do throws(StoreError) {
                let before = await ownedNow()
                let transactions = try await store.restore()
                result = .success(
                    try await record(
                        transactions, unfinished: unfinishedIdentifiers(), of: accountToken, ownedBefore: before))
            } catch {
                result = .failure(error)
            }
            restoring[accountToken] = nil
            return result
        }
        restoring[accountToken] = task
        return try await task.value.get()
    }

    /// Records the purchases that the store knows on this device, without prompting the customer. Called in a new
    /// installation, and after the loss of an earlier ledger. Unfinished transactions are left to their delivery. Those
    /// that may make a product owned, and could not be recorded yet, are among the failed ones.
    ///
    /// - Parameter before: Ownership before the call, for the comparison in the result; `nil` for the present one.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    public func recordKnown(ownedBefore before: EntitlementSnapshot? = nil) async throws(StoreError) -> RestoreResult {
        let present = await ownedNow()
        let transactions = try await store.knownTransactions()
        guard !transactions.isEmpty else { return RestoreResult() }
        let unfinished = try await unfinishedIdentifiers()
        var result = await record(
            transactions.filter { !unfinished.contains($0.id) }, unfinished: [], of: nil,
            ownedBefore: before ?? present)
        let undelivered = await unrecorded(transactions.filter { unfinished.contains($0.id) && $0.mayMakeOwned })
        // Purchases since the last delivery, such as those of another process.
        _ = await begin(undelivered.filter { pendingState(of: $0) == nil })
        for transaction in await unrecorded(undelivered) {
            let unread = PendingTransaction.State.waiting(.verification("the transaction was not delivered yet"))
            result.fail(transaction, pendingState(of: transaction) ?? unread)
        }
        return result
    }

    /// Records what has changed among the purchases that the store knows on this device since they were recorded, without
    /// prompting the customer: purchases that another device has made and finished while the app was not running, refunds
    /// and reversed refunds. The store sends these only to running apps. Unfinished transactions are left to their
    /// delivery. Of consumables the store lists only refunds, and the latest period of a subscription is left to
    /// ``recordSubscriptions(mayEnd:)``.
    ///
    /// - Parameter before: Ownership before the call, for the comparison in the result.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    package func recordChanges(ownedBefore before: EntitlementSnapshot) async throws(StoreError) -> RestoreResult {
        var changed: [StoreTransaction] = []
        for transaction in try await store.knownTransactions() where await pipeline.isChanged(transaction) {
            changed.append(transaction)
        }
        guard !changed.isEmpty else { return RestoreResult() }
        let unfinished = try await unfinishedIdentifiers()
        let result = await record(
            changed.filter { !unfinished.contains($0.id) }, unfinished: [], of: nil, ownedBefore: before)
        // They are finished, so that nobody has to deliver or discard them.
        for failure in result.failed {
            if let transaction = waiting.remove(failure.transactionID) { pipeline.emit(.settledElsewhere(transaction)) }
        }
        return result
    }

    private func unrecorded(_ transactions: [StoreTransaction]) async -> [StoreTransaction] {
        var unrecorded: [StoreTransaction] = []
        for transaction in transactions where await !pipeline.hasRecorded(transaction) {
            unrecorded.append(transaction)
        }
        return unrecorded
    }

    private func pendingState(of transaction: StoreTransaction) -> PendingTransaction.State? {
        waiting.all.first { $0.id == transaction.id }?.state
    }

    private func unfinishedIdentifiers() async throws(StoreError) -> Set<String> {
        Set(try await store.unfinishedTransactions().map(\.id))
    }

    private func ownedNow() async -> EntitlementSnapshot {
        // If the ledger cannot be read, recording the transactions reports it.
        try? await entitlements.refresh()
        return entitlements.snapshot
    }

    /// Records the store's transactions of the customer's subscriptions, without prompting the customer. Other
    /// purchases in the store's answer are not recorded.
    ///
    /// - Parameter mayEnd: Returns `false` if the answer may be about another customer than the ledger: no subscription
    ///   is then considered ended because it is missing in the answer.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read. In this case nothing is recorded, and no
    ///   subscription is considered ended.
    public func recordSubscriptions(mayEnd: @Sendable () -> Bool = { true }) async throws(StoreError) {
        let transactions = try await store.subscriptionTransactions()
        let claims = transactions.map { TransactionPayload(unverified: $0.signedData) }
        _ = await record(
            zip(transactions, claims).filter { $1?.type == .autoRenewableSubscription }.map(\.0),
            unfinished: try await unfinishedIdentifiers(), of: nil, ownedBefore: entitlements.snapshot)
        // An unreadable transaction may belong to any subscription. The answer therefore cannot prove that a
        // subscription has ended.
        guard mayEnd(), !claims.contains(where: { $0 == nil }) else { return }
        entitlements.applyAnswer(aboutSubscriptions: Set(claims.compactMap { $0?.originalTransactionID }))
    }

    /// Records transactions of the store.
    ///
    /// - Parameter unfinished: Unfinished transactions. They are read after the recorded ones, because a transaction
    ///   that waits for content is not finished yet.
    private func record(
        _ transactions: [StoreTransaction], unfinished: Set<String>, of accountToken: UUID?,
        ownedBefore before: EntitlementSnapshot
    ) async -> RestoreResult {
        var result = RestoreResult()
        var recorded: [RestoredPurchase] = []
        for transaction in transactions {
            let claim = TransactionPayload(unverified: transaction.signedData)
            if let accountToken, let other = claim?.appAccountToken, other != accountToken,
                claim?.revocationDate == nil
            {
                result.otherAccounts.append(claim?.productIdentifier ?? transaction.id)
                continue
            }
            let isListed = unfinished.contains(transaction.id)
            let begun: Begun? =
                if isHeldUpByHook(transaction) {
                    nil
                } else {
                    await value(
                        of: Task { await begin(transaction, awaitingContent: isListed, isListed: isListed) },
                        on: transaction)
                }
            switch begun {
            case nil: result.fail(transaction, .waiting(.hookRunning))
            case .ended(.delivered(let delivered)):
                recorded.append(RestoredPurchase(delivered.transaction, isNew: delivered.isNew))
            case .ended(.revoked(let revocation)):
                if revocation.isNew { result.revoked.append(revocation.transaction.payload.productIdentifier) }
            case .ended(.waiting(let reason)): result.fail(transaction, .waiting(reason))
            case .ended(.rejected(let reasons)): result.fail(transaction, .rejected(reasons))
            case .lacksContent(let purchase, _, _):
                recorded.append(RestoredPurchase(purchase.signed, isNew: purchase.isNew))
            }
        }
        result.add(recorded, ownedBefore: before.isOwned, ownedNow: entitlements.snapshot.isOwned)
        return result
    }
}

/// Result of restoring purchases. Restoring removes only products that the store has revoked.
public struct RestoreResult: Sendable, Hashable {
    /// Transaction that could not be restored.
    public struct Failure: Sendable, Hashable {
        public let transactionID: String
        /// Product identifier in the unverified transaction; `nil` if the transaction cannot be read.
        public let productIdentifier: String?
        /// Type of the product in the unverified transaction; `nil` if the transaction cannot be read.
        package let productType: SignedProductKind?
        public let reason: PendingTransaction.State
    }

    /// Products that are owned since the restore, and consumables that were credited by it.
    public internal(set) var restored: [String] = []
    /// Products that were owned before the restore.
    public internal(set) var alreadyOwned: [String] = []
    /// Products that were purchased and are not owned: subscriptions that have ended or whose renewal is unconfirmed for
    /// too long, and consumables that were credited earlier.
    public internal(set) var ended: [String] = []
    /// Products whose revocation was newly recorded in the ledger.
    public internal(set) var revoked: [String] = []
    /// Products that were purchased for another account of the app than the requested one.
    public internal(set) var otherAccounts: [String] = []
    /// Transactions that could not be restored.
    public internal(set) var failed: [Failure] = []

    /// `true` if the store had nothing to restore. Purchases that have ended are not restored.
    public var isEmpty: Bool {
        restored.isEmpty && alreadyOwned.isEmpty && revoked.isEmpty && otherAccounts.isEmpty && failed.isEmpty
    }
}

/// Purchase that a restore has recorded, or found in the ledger.
private struct RestoredPurchase {
    let product: String
    /// `true` if the purchase credited units to a wallet, or was delivered by the app, for the first time.
    let isCredited: Bool

    init(_ signed: SignedTransaction, isNew: Bool) {
        product = signed.payload.productIdentifier
        isCredited = isNew && signed.payload.type == .consumable
    }
}

extension StoreTransaction {
    /// `true` for a transaction that may make a product owned, according to its unverified data.
    fileprivate var mayMakeOwned: Bool {
        let claim = TransactionPayload(unverified: signedData)
        return claim?.type != .consumable && claim?.revocationDate == nil
    }
}

extension RestoreResult {
    fileprivate mutating func fail(_ transaction: StoreTransaction, _ reason: PendingTransaction.State) {
        let claim = TransactionPayload(unverified: transaction.signedData)
        failed.append(
            Failure(
                transactionID: transaction.id, productIdentifier: claim?.productIdentifier, productType: claim?.type,
                reason: reason))
    }

    /// Adds each product of the recorded purchases once.
    fileprivate mutating func add(
        _ recorded: [RestoredPurchase], ownedBefore: (String) -> Bool, ownedNow: (String) -> Bool
    ) {
        let credited = Set(recorded.filter(\.isCredited).map(\.product))
        for product in recorded.map(\.product).withoutDuplicates {
            if credited.contains(product) || ownedNow(product) && !ownedBefore(product) {
                restored.append(product)
            } else if ownedNow(product) {
                alreadyOwned.append(product)
            } else {
                ended.append(product)
            }
        }
    }
}
