internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension SimulatedStore {
    /// Repeats the known history of a customer in this store, in the order of its dates: purchases, periods of
    /// subscriptions, refunds, and changes of renewals. The transactions remain unfinished. Afterwards the store has a
    /// virtual clock at the end date of the history. Prices are those of the store.
    ///
    /// - Returns: Result of the replay, with the parts that were left out.
    /// - Throws: ``StoreRecordingError``: `notEmpty`; `refused` for dates that the store's clock cannot have;
    ///   `storage`. After an error, the store is unchanged.
    package func replay(_ past: CustomerCase) async throws(StoreRecordingError) -> StoreReplay {
        var stage = try await ReplayStage(self)
        let plan = CustomerCasePlan(past)
        let core = try stage.core(in: self.core.environment, self.core.appIdentifier)
        var replayer = CustomerCaseReplayer(core: core, omissions: plan.omissions)
        try await replayer.begin(past.app)
        for (date, event) in plan.events {
            try await stage.advance(to: date, of: core)
            try await replayer.perform(event)
        }
        let end = max(past.date, plan.events.last?.date ?? past.date)
        try await stage.advance(to: end, of: core)
        let counts = try await stage.counts()
        let settings = try await StoreRecordingError.mapping { () async throws(SimulatedStoreError) in
            try await self.core.database.settings()
        }
        try await stage.commit(settings.environment, settings.appIdentifier)
        return StoreReplay(
            actionCount: replayer.count, actionCounts: replayer.counts, transactionCount: counts.transactions,
            notificationCount: counts.notifications, date: end, omissions: replayer.omissions)
    }
}

/// Replay of a customer's history in a copy of a store. Events that the store refuses are listed in ``omissions``.
struct CustomerCaseReplayer {
    private let core: StoreCore
    private let devices: ReplayDevices
    private(set) var omissions: [String]
    /// Number of repeated events of each kind.
    private(set) var counts: [String: Int] = [:]
    /// Numbers of the store's transactions, by the identifiers of the purchases in the history.
    private var numbers: [String: Int64] = [:]
    /// Numbers of the first transactions of subscriptions, by their original identifiers in the history.
    private var firsts: [String: Int64] = [:]

    init(core: StoreCore, omissions: [String]) {
        (self.core, devices, self.omissions) = (core, ReplayDevices(core: core), omissions)
    }

    var count: Int { counts.values.reduce(0, +) }

    mutating func begin(_ app: OriginalPurchase?) async throws(StoreRecordingError) {
        guard let app else { return }
        do {
            try await devices.any.setOriginalPurchase(app)
            counts["originalPurchase"] = 1
        } catch {
            throw StoreRecordingError(.storage, "\(error)")
        }
    }

    /// Repeats an event at the current date of the store.
    mutating func perform(_ event: CustomerCasePlan.Event) async throws(StoreRecordingError) {
        do {
            let name = try await repeated(event)
            counts[name, default: 0] += 1
        } catch let error as SimulatedStoreError where error.code == .storage || error.code == .damaged {
            throw StoreRecordingError(.storage, error.reason)
        } catch {
            omissions.append("\(event.description): \(error)")
        }
    }

    /// Repeats an event.
    ///
    /// - Returns: The name of the event's kind, for ``counts``.
    private mutating func repeated(_ event: CustomerCasePlan.Event) async throws -> String {
        switch event {
        case .buy(let purchase): return try await buy(purchase)
        case .subscribe(let purchase):
            let order = try await order(purchase)
            note(purchase, try await core.perform { try $0.subscribe(order, purchase) })
            return "purchase"
        case .renew(let purchase): return try await renew(purchase)
        case .change(let change): return try await repeated(change)
        case .setRenewal(let statement):
            let first = firsts[statement.original]
            return try await core.perform { try $0.follow(statement, of: first) } ? "renewalChange" : "statement"
        case .failCharge(let original, let graceEnd):
            let first = firsts[original]
            try await core.perform { try $0.failCharge(of: first, graceEnd: graceEnd) }
            return "failedCharge"
        case .end(let original, let reason):
            let first = firsts[original]
            try await core.perform { try $0.end(first, because: reason) }
            return "end"
        }
    }

    private mutating func note(_ purchase: CustomerCase.Purchase, _ number: Int64) {
        numbers[purchase.id] = number
        firsts[purchase.original] = firsts[purchase.original] ?? number
    }

    private mutating func renew(_ purchase: CustomerCase.Purchase) async throws -> String {
        let first = firsts[purchase.original]
        do {
            let order = try await order(purchase)
            note(purchase, try await core.perform { try $0.renew(first, purchase, order) })
            return "renewal"
        } catch {
            // A subscription that cannot renew as in the history is ended, because the store would renew it in another
            // way.
            try await core.perform { try $0.end(first, because: .productNotAvailable) }
            throw error
        }
    }

    private mutating func buy(_ purchase: CustomerCase.Purchase) async throws -> String {
        let store = try await devices.any
        if purchase.isFamilyShared {
            numbers[purchase.id] = try await Int64(store.share(purchase.product).id)
            return "sharing"
        }
        let request = try await order(purchase)
        guard core.subscription(purchase.product) == nil else {
            throw StoreRecordingError(.refused, "the store sells \(purchase.product) as a subscription")
        }
        numbers[purchase.id] = try await core.perform { try $0.charge($0.order(request)).number }
        return "purchase"
    }

    private func order(_ purchase: CustomerCase.Purchase) async throws -> OrderRequest {
        let options = PurchaseOptions(quantity: purchase.quantity, accountToken: purchase.accountToken)
        return try await devices.any.order(purchase.product, options: options, on: nil)
    }

    private mutating func repeated(_ change: CustomerCase.Change) async throws -> String {
        guard let number = numbers[change.purchase] else {
            throw StoreRecordingError(.refused, "the purchase was left out")
        }
        switch change.kind {
        case .revocation(let percentage):
            if let percentage, percentage % 1_000 != 0 {
                omissions.append("the exact part of a refund: \(Double(percentage) / 1_000) percent, rounded")
            }
            try await core.perform { try $0.revoke(number, percentage) }
            return "refund"
        case .reinstatement:
            try await core.perform { _ = try $0.reverseRefund($0.purchase(number)) }
            return "refundReversal"
        case .extended(let end):
            let request = change.purchase
            try await core.perform { try $0.extend(number, to: end, request: request) }
            return "extension"
        }
    }
}

extension CustomerCasePlan.Event {
    /// Description of the event, as part of a sentence.
    fileprivate var description: String {
        switch self {
        case .buy(let purchase), .subscribe(let purchase):
            "the purchase of \(purchase.product) at \(purchase.date.second)"
        case .renew(let purchase): "the renewal to \(purchase.product) at \(purchase.date.second)"
        case .change(let change):
            switch change.kind {
            case .revocation: "the refund at \(change.date.second)"
            case .reinstatement: "the reversal of a refund at \(change.date.second)"
            case .extended: "the extension of a period at \(change.date.second)"
            }
        case .setRenewal(let statement): "the change of a renewal at \(statement.date.second)"
        case .failCharge: "a failed charge for a subscription"
        case .end: "the end of a subscription"
        }
    }
}
