public import Purchasing
internal import StoreKitShim

extension StoreKitStore {
    /// Asks the customer to sign in, so that the device's transactions are those of their account, and returns them. A
    /// customer who cancels gets those of the device.
    public func restore() async throws(StoreError) -> [StoreTransaction] {
        switch await uncancelled({ try await AppStore.sync() }) {
        case .success, .failure(StoreKitError.userCancelled): break
        case .failure(let error): throw StoreError(error)
        }
        return await signed(await listing().restorable)
    }

    public func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        let listed = await listing()
        let restorable = Set(listed.restorable)
        return await signed(listed.restorable + listed.unfinished.filter { !restorable.contains($0) })
    }

    public func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        let unfinished = await uncancelled { await Transaction.unfinished.inOrder() }
        for transaction in unfinished { remember(transaction) }
        return await signed(unfinished)
    }

    /// Returns the transactions of all subscription statuses. A subscription of which StoreKit lists a transaction and no
    /// status makes the answer incomplete: that throws, because an answer without it would end it.
    public func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
        let (statuses, subscribed) = await uncancelled {
            let statuses = await SubscriptionStatuses()
            let listed = await Transaction.all.inOrder()
            return (statuses, listed.filter { $0.unsafePayloadValue.productType == .autoRenewable })
        }
        if let missing = subscribed.map(\.unsafePayloadValue).first(where: { statuses.all[$0.originalID] == nil }) {
            throw StoreError(
                code: .unavailable, reason: "StoreKit has no status of the subscription \(missing.originalID)")
        }
        return statuses.all.sorted { $0.key < $1.key }
            .map { StoreTransaction($0.value.transaction, renewal: $0.value.renewalInfo) }
    }

    /// Returns transactions with the renewal information of their subscriptions.
    private func signed(_ results: [VerificationResult<Transaction>]) async -> [StoreTransaction] {
        guard results.contains(where: { $0.unsafePayloadValue.productType == .autoRenewable }) else {
            return results.map { StoreTransaction($0, renewal: nil) }
        }
        let statuses = await uncancelled { await SubscriptionStatuses() }
        return results.map {
            StoreTransaction($0, renewal: statuses.all[$0.unsafePayloadValue.originalID]?.renewalInfo)
        }
    }

    private func listing() async -> TransactionListing {
        await uncancelled {
            TransactionListing(
                all: await Transaction.all.inOrder(), unfinished: await Transaction.unfinished.inOrder())
        }
    }
}

/// Transactions that StoreKit lists at a time.
private struct TransactionListing: Sendable {
    let all: [VerificationResult<Transaction>]
    let unfinished: [VerificationResult<Transaction>]

    /// The latest transaction of each purchase that can be restored, and every revoked one, oldest first. Finished
    /// consumables, which StoreKit lists if the app's Info.plist says so, are left out: they would be credited again.
    var restorable: [VerificationResult<Transaction>] {
        var latest: [UInt64: UInt64] = [:]
        for transaction in all.map(\.unsafePayloadValue) { latest[transaction.originalID] = transaction.id }
        return all.filter {
            let transaction = $0.unsafePayloadValue
            if transaction.revocationDate != nil { return true }
            return transaction.productType != .consumable && latest[transaction.originalID] == transaction.id
        }
    }
}

/// Statuses of the customer's subscriptions, by their first transactions.
private struct SubscriptionStatuses: Sendable {
    var all: [UInt64: Product.SubscriptionInfo.Status] = [:]

    init() async {
        for await (_, statuses) in Product.SubscriptionInfo.Status.all {
            for status in statuses { all[status.transaction.unsafePayloadValue.originalID] = status }
        }
    }
}

extension Transaction.Transactions {
    /// Returns the listed transactions, oldest first: StoreKit promises no order.
    fileprivate func inOrder() async -> [VerificationResult<Transaction>] {
        var listed: [VerificationResult<Transaction>] = []
        for await transaction in self { listed.append(transaction) }
        return listed.sorted {
            let (left, right) = ($0.unsafePayloadValue, $1.unsafePayloadValue)
            return (left.purchaseDate, left.id) < (right.purchaseDate, right.id)
        }
    }
}
