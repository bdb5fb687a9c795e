internal import OpenStoreKitShim
public import VitrinePurchasing
public import VitrineSupport

extension StoreKitStore {
    /// Asks the customer to sign in, which updates the device's transactions from the customer's account, and returns
    /// the transactions. If the customer cancels, the transactions that are already on the device are returned.
    public func restore() async throws(StoreError) -> [StoreTransaction] {
        switch await uncancelled({ try await AppStore.sync() }) {
        case .success: await refreshAppTransactionIfNeeded()
        case .failure(StoreKitError.userCancelled): break
        case .failure(let error): throw StoreError(error)
        }
        return await signed(await uncancelled { await Transaction.all.inOrder() }.restorable)
    }

    public func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        let (restorable, unfinished) = await uncancelled {
            (await Transaction.all.inOrder().restorable, await Transaction.unfinished.inOrder())
        }
        let known = Set(restorable)
        return await signed(restorable + unfinished.filter { !known.contains($0) })
    }

    /// Returns the unfinished transactions on this device. After a purchase with an unknown outcome, the App Store is
    /// first queried about its product, because without a network the list does not show whether the purchase
    /// succeeded.
    public func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await checkUnknownOutcomes()
        let unfinished = await uncancelled { await Transaction.unfinished.inOrder() }
        for transaction in unfinished { remember(transaction) }
        return await signed(unfinished)
    }

    /// Returns the latest transaction of each subscription, with the renewal information from its status. A
    /// subscription without a status of its own in its group is returned without renewal information.
    ///
    /// StoreKit's listings throw no errors. If a group with a valid transaction has no status, or if nothing is listed
    /// although subscriptions are sold, the statuses are requested again with a call that throws, because a
    /// subscription that is missing in the result by mistake would be treated as ended.
    public func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
        var (statuses, subscribed) = await uncancelled {
            let statuses = await SubscriptionStatuses()
            let listed = await Transaction.all.inOrder()
            return (statuses, listed.filter { $0.unsafePayloadValue.productType == .autoRenewable })
        }
        // A subscription that was revoked completely, such as one that the family no longer shares, may have no status.
        let groups = Set(
            subscribed.map(\.unsafePayloadValue).filter { $0.revocationDate == nil }.compactMap(\.subscriptionGroupID))
        for group in groups.isEmpty && statuses.all.isEmpty ? loadedGroups : groups.subtracting(statuses.groups) {
            let asked = try await uncancelled { try await Product.SubscriptionInfo.status(for: group) }
                .getOrStoreError()
            guard !asked.isEmpty || !groups.contains(group) else {
                throw StoreError(
                    code: .unavailable, reason: "StoreKit has no status of the subscription group \(group)")
            }
            statuses.add(asked, of: group)
        }
        let others = Dictionary(
            subscribed.map { ($0.unsafePayloadValue.originalID, StoreTransaction($0, renewal: nil)) },
            uniquingKeysWith: { _, latest in latest })
        let known = statuses.all.mapValues { StoreTransaction($0.transaction, renewal: $0.renewalInfo) }
        return others.merging(known) { $1 }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns transactions, the latest one of each subscription with its renewal information.
    private func signed(_ results: [VerificationResult<Transaction>]) async -> [StoreTransaction] {
        guard results.contains(where: { $0.unsafePayloadValue.productType == .autoRenewable }) else {
            return results.map { StoreTransaction($0, renewal: nil) }
        }
        let statuses = await uncancelled { await SubscriptionStatuses() }
        return results.map {
            let transaction = $0.unsafePayloadValue
            return StoreTransaction($0, renewal: statuses.all[transaction.originalID]?.renewalInfo(of: transaction))
        }
    }
}

extension [VerificationResult<Transaction>] {
    /// Transactions that can be restored: of transactions that are sorted from the oldest, the latest one of each
    /// purchase and every revoked one. Finished consumables, which StoreKit lists if the app's Info.plist requests it,
    /// are omitted, because they would be credited again.
    fileprivate var restorable: [VerificationResult<Transaction>] {
        var latest: [UInt64: UInt64] = [:]
        for transaction in map(\.unsafePayloadValue) where transaction.revocationDate == nil {
            latest[transaction.originalID] = transaction.id
        }
        return filter {
            let transaction = $0.unsafePayloadValue
            if transaction.revocationDate != nil { return true }
            return transaction.productType != .consumable && latest[transaction.originalID] == transaction.id
        }
    }
}

extension Product.SubscriptionInfo.Status {
    /// Returns the renewal information, if it belongs to a transaction: that of the subscription's latest period.
    func renewalInfo(of transaction: Transaction) -> StoreKitStore.SignedRenewalInfo? {
        self.transaction.unsafePayloadValue.id == transaction.id ? renewalInfo : nil
    }
}

/// Statuses of the customer's subscriptions, by the identifier of the first transaction.
private struct SubscriptionStatuses: Sendable {
    private(set) var all: [UInt64: Product.SubscriptionInfo.Status] = [:]
    private(set) var groups: Set<String> = []

    init() async {
        // Before iOS 17, each group is asked by a call of its own.
        guard #available(iOS 17.0, tvOS 17.0, *) else {
            var asked: Set<String> = []
            for await transaction in Transaction.all {
                guard let group = transaction.unsafePayloadValue.subscriptionGroupID, asked.insert(group).inserted
                else { continue }
                if let statuses = try? await Product.SubscriptionInfo.status(for: group) { add(statuses, of: group) }
            }
            return
        }
        for await (group, statuses) in Product.SubscriptionInfo.Status.all { add(statuses, of: group) }
    }

    mutating func add(_ statuses: [Product.SubscriptionInfo.Status], of group: String) {
        if !statuses.isEmpty { groups.insert(group) }
        for status in statuses { all[status.transaction.unsafePayloadValue.originalID] = status }
    }
}

extension Transaction.Transactions {
    /// Returns the listed transactions, oldest first, because StoreKit guarantees no order.
    fileprivate func inOrder() async -> [VerificationResult<Transaction>] {
        var listed: [VerificationResult<Transaction>] = []
        for await transaction in self { listed.append(transaction) }
        return listed.sorted {
            let (left, right) = ($0.unsafePayloadValue, $1.unsafePayloadValue)
            return (left.purchaseDate, left.id) < (right.purchaseDate, right.id)
        }
    }
}
