internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Refunds, and their reversals.
extension StoreTransactionScope {
    /// Returns a transaction of a customer.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchTransaction` if the customer has no transaction with this number.
    func transaction(_ id: String, of customer: Int64) throws -> PurchaseRecord {
        guard let record = try Int64(id).flatMap({ try PurchaseRecord.fetchOne(database, key: $0) }),
            record.customer == customer, !record.isPending
        else {
            throw SimulatedStoreError(code: .noSuchTransaction, reason: "the store has no transaction \(id)")
        }
        return record
    }

    mutating func refund(
        _ record: PurchaseRecord, _ extent: SimulatedStore.RefundExtent
    ) throws -> PurchaseRecord {
        guard !record.isShared else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason:
                    "transaction \(record.number) is shared by the family: end that with 'vitrine store revoke-family'")
        }
        let percentage = try percentage(of: record, extent)
        let wasRevoked = record.revocationDate != nil
        // The subscription is changed first, because the renewal information of the refund contains the new state.
        if !wasRevoked, var subscription = try subscription(endingWith: record) {
            subscription.set(.revoked)
            try store(subscription)
        }
        let revoked = try revoke(
            record, extent == .full ? .fullRefund : .proratedRefund, percentage: percentage)
        guard !wasRevoked else { return revoked }
        try log(.refunded, revoked, percentage.map { "\($0 / 1_000) percent" })
        try RefundRequestRecord.remove(record.number, from: database)
        try notify(NotificationKind(.refund), revoked)
        try revokeCopies(of: revoked)
        return revoked
    }

    mutating func reverseRefund(_ record: PurchaseRecord) throws -> PurchaseRecord {
        guard record.revocationDate != nil else {
            throw SimulatedStoreError(
                code: .noSuchTransaction, reason: "transaction \(record.number) has not been revoked")
        }
        // The end of Family Sharing is no refund.
        guard !record.isShared else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason:
                    "transaction \(record.number) is shared by the family: the refund of its purchaser can be reversed")
        }
        if var subscription = try subscription(endingWith: record) {
            subscription.set(subscription.expiresDate > date.milliseconds ? .active : .expired, .cancelled)
            try store(subscription)
        }
        let reinstated = try reinstate(record)
        try log(.refundReversed, reinstated)
        try notify(NotificationKind(.refundReversed), reinstated)
        try reinstateCopies(of: reinstated)
        return reinstated
    }

    /// Records a customer's refund request, and turns the renewal of a running subscription off.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchTransaction` for a transaction that is shared by the family or revoked.
    mutating func requestRefund(_ record: PurchaseRecord, because reason: ConsumptionRequestReason) throws {
        guard !record.isShared, record.revocationDate == nil else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason: "transaction \(record.number) is shared by the family or revoked: it cannot be refunded")
        }
        try RefundRequestRecord(purchase: record.number, date: date.milliseconds, reason: reason).upsert(database)
        try log(.refundRequested, record, reason.description)
        if var subscription = try subscription(endingWith: record), subscription.isRenewing, !subscription.hasEnded {
            subscription.setRenewing(false)
            try log(.renewalTurnedOff, subscription)
            try finish(subscription, NotificationKind(.didChangeRenewalStatus, .autoRenewDisabled))
        }
        try notify(NotificationKind(.consumptionRequest), record, because: reason)
    }

    /// Declines a customer's refund request.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchTransaction` if no refund of the transaction was requested.
    mutating func declineRefund(_ record: PurchaseRecord) throws {
        guard try RefundRequestRecord.remove(record.number, from: database) else {
            throw SimulatedStoreError(
                code: .noSuchTransaction, reason: "no refund of transaction \(record.number) was requested")
        }
        try log(.refundDeclined, record)
        try notify(NotificationKind(.refundDeclined), record)
    }

    /// Returns the refunded share of the price, in thousandths of a percent; `nil` for the whole price.
    private func percentage(
        of record: PurchaseRecord, _ extent: SimulatedStore.RefundExtent
    ) throws -> Int? {
        switch extent {
        case .full: return nil
        case .percent(let percent):
            guard (1...100).contains(percent) else {
                throw SimulatedStoreError(
                    code: .invalidAmount, reason: "a refund must be from 1 to 100 percent, not \(percent)")
            }
            return percent * 1_000
        case .prorated:
            guard let end = record.expiresDate, end > date.milliseconds, end > record.purchaseDate else {
                throw SimulatedStoreError(
                    code: .invalidAmount,
                    reason: "transaction \(record.number) is for no subscription period that is running")
            }
            let (left, whole) = (end - max(date.milliseconds, record.purchaseDate), end - record.purchaseDate)
            return Int((Double(left) / Double(whole) * 100_000).rounded(.down))
        }
    }
}
