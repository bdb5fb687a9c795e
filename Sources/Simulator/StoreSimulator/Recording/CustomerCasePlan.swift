internal import Foundation
internal import VitrineReceipts
internal import VitrineSupport

/// Plan of the events that repeat a customer's history in a store.
struct CustomerCasePlan {
    enum Event {
        /// Purchase of a product without a period.
        case buy(CustomerCase.Purchase)
        /// Purchase of a new period of a subscription, which begins at once.
        case subscribe(CustomerCase.Purchase)
        /// Renewal of a subscription, or its recovery after a failed charge.
        case renew(CustomerCase.Purchase)
        case change(CustomerCase.Change)
        case setRenewal(CustomerCase.Statement)
        /// Failed charge for the next period, with the end of the grace period, if any.
        case failCharge(original: String, graceEnd: Date?)
        case end(original: String, ExpirationIntent)
    }

    /// Interval between a planned event and the end of a period, in seconds. The event has to happen earlier than the
    /// end, because at the end itself the store would renew the subscription.
    private static let notice: TimeInterval = 0.001

    private(set) var events: [(date: Date, event: Event)] = []
    /// Parts of the history that the plan leaves out, each as a sentence without capital letter and period.
    private(set) var omissions: [String]
    private let past: CustomerCase

    init(_ past: CustomerCase) {
        (self.past, omissions) = (past, past.omissions)
        for purchase in past.purchases where purchase.end == nil { events.append((purchase.date, .buy(purchase))) }
        let subscriptions = Dictionary(grouping: past.purchases.filter { $0.end != nil }, by: \.original)
        for (original, periods) in subscriptions.sorted(by: { $0.key < $1.key }) {
            add(original, periods.sorted { $0.date < $1.date })
        }
        events += past.changes.map { ($0.date, .change($0)) }
        // Events with the same date stay in their order.
        events = events.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }
            .map(\.element)
    }

    private mutating func add(_ original: String, _ periods: [CustomerCase.Purchase]) {
        guard let last = periods.last, let first = periods.first else { return }
        guard !first.isFamilyShared else {
            omissions.append("the subscription to \(first.product), which a member of the family shares")
            return
        }
        let statements = past.statements.filter { $0.original == original }.sorted { $0.date < $1.date }
        events.append((first.date, .subscribe(first)))
        for (earlier, period) in zip(periods, periods.dropFirst()) { add(period, after: earlier, statements) }
        addEnd(of: last, statements)
        let end = end(of: last)
        events += statements.filter { $0.date < end && $0.endReason == nil && !$0.isInBillingRetry }
            .map { ($0.date, .setRenewal($0)) }
    }

    /// Adds the events of a later period of a subscription.
    private mutating func add(
        _ period: CustomerCase.Purchase, after earlier: CustomerCase.Purchase, _ statements: [CustomerCase.Statement]
    ) {
        let end = end(of: earlier)
        if period.date < end, period.product != earlier.product {
            events.append((period.date, .subscribe(period)))
        } else if period.date <= end {
            events.append((min(period.date, end - Self.notice), .renew(period)))
        } else {
            let between = statements.last { $0.date >= earlier.date && $0.date < period.date }
            // The store renews a subscription after its end if it has charged the customer late.
            if earlier.graceEnd != nil || between?.isInBillingRetry == true || period.isRenewal {
                events.append(
                    (end - Self.notice, .failCharge(original: earlier.original, graceEnd: earlier.graceEnd)))
                events.append((period.date, .renew(period)))
            } else {
                if between?.endReason == nil, between?.isRenewing != false {
                    omissions.append(
                        "why the subscription to \(earlier.product) ended at \(end.second): the customer cancels it")
                }
                events.append(
                    (end - Self.notice, .end(original: earlier.original, between?.endReason ?? .cancelled)))
                events.append((period.date, .subscribe(period)))
            }
        }
    }

    /// Adds the events after the last period of a subscription, if that period is over.
    private mutating func addEnd(of last: CustomerCase.Purchase, _ statements: [CustomerCase.Statement]) {
        let end = end(of: last)
        guard end <= past.date, !isRevoked(last) else { return }
        let statement = statements.last { $0.date >= last.date }
        if last.graceEnd != nil || statement?.isInBillingRetry == true {
            events.append((end - Self.notice, .failCharge(original: last.original, graceEnd: last.graceEnd)))
            return
        }
        let isKnown = statement.map { $0.endReason != nil || !$0.isRenewing } ?? false
        if !isKnown {
            omissions.append(
                "how the subscription to \(last.product) went on after \(end.second): it ends there")
        }
        let reason: ExpirationIntent = statement?.endReason ?? (isKnown ? .cancelled : .other)
        events.append((end - Self.notice, .end(original: last.original, reason)))
    }

    private func isRevoked(_ purchase: CustomerCase.Purchase) -> Bool {
        let last = past.changes.filter { $0.purchase == purchase.id }.max { $0.date < $1.date }
        if case .revocation = last?.kind { return true }
        return false
    }

    /// Returns the end of a period, with all its extensions.
    private func end(of period: CustomerCase.Purchase) -> Date {
        past.changes.reduce(period.end ?? period.date) { end, change in
            guard change.purchase == period.id, case .extended(let later) = change.kind else { return end }
            return max(end, later)
        }
    }
}
