import Foundation
import VitrineReceipts
import VitrineStoreSimulator

/// State of a simulated store at the end of a random history.
struct LifeEnd: Equatable {
    /// Indexes of the steps that the store has refused.
    let refused: [Int]
    /// Transactions as each device knows them.
    var transactions: [LifeDevice: [SimulatedTransaction]] = [:]
    var subscriptions: [String: [SimulatedSubscription]] = [:]
    var timeline: [StoreEvent] = []

    /// Returns sorted lines with all values that the rules determine. Dates are in days since the start.
    func lines(from start: Date) -> [String] {
        var lines = refused.map { "step \($0) refused" }
        for (device, transactions) in transactions {
            for transaction in transactions {
                lines.append(
                    """
                    \(device): \(transaction.id) of \(transaction.originalID), \(transaction.productIdentifier), \
                    from \(start.days(to: transaction.purchaseDate)) to \(start.days(to: transaction.expirationDate)), \
                    renewal \(transaction.isRenewal), price \(transaction.price), \
                    offer \(transaction.offerType == .introductory), upgraded \(transaction.isUpgraded), \
                    revoked \(start.days(to: transaction.revocationDate)), finished \(transaction.isFinished)
                    """)
            }
        }
        for subscription in subscriptions.values.joined() {
            lines.append(
                """
                \(subscription.customer) \(subscription.id): state \(subscription.state.rawValue) \
                \(subscription.expirationReason?.rawValue ?? 0), \(subscription.productIdentifier) \
                to \(subscription.renewalProduct), renewing \(subscription.isRenewing), \
                transaction \(subscription.transaction), end \(start.days(to: subscription.expirationDate)), \
                grace \(start.days(to: subscription.gracePeriodEnd)), retry \(start.days(to: subscription.billingRetryEnd))
                """)
        }
        lines += timeline.enumerated().map { number, event in
            "event \(number): \(start.days(to: event.date)), \(event.customer ?? "store"), \(event.kind)"
        }
        return lines
    }
}

extension RandomLife {
    /// Expected lines at the end of this history, according to the model.
    var lines: [String] {
        var model = SubscriptionModel(now: start)
        let refused = steps.indices.filter { !model.perform(steps[$0]) }
        model.advance(to: end)
        var lines = refused.map { "step \($0) refused" }
        for subscription in model.subscriptions {
            for device in model.devices where device.customer == subscription.customer {
                lines += subscription.periods.map { period in
                    """
                    \(device): \(period.id) of \(subscription.periods[0].id), \(period.plan.product), \
                    from \(start.days(to: period.start)) to \(start.days(to: period.end)), \
                    renewal \(period.isRenewal), price \(period.price), \
                    offer \(period.trials > 0), upgraded \(period.isUpgraded), \
                    revoked \(start.days(to: period.revocation)), finished \(period.finished.contains(device))
                    """
                }
            }
            lines.append(line(about: subscription))
        }
        lines += model.events.enumerated().map { number, event in
            "event \(number): \(start.days(to: event.date)), \(event.customer ?? "store"), \(event.kind)"
        }
        return lines
    }

    private func line(about subscription: SubscriptionModel.Subscription) -> String {
        let last = subscription.last
        let (state, reason) =
            switch subscription.state {
            case .active: (1, 0)
            case .expired(let reason): (2, reason)
            case .retry: (3, 0)
            case .grace: (4, 0)
            case .revoked: (5, 0)
            }
        let isFailing = state == 3 || state == 4
        return """
            \(subscription.customer) \(subscription.periods[0].id): state \(state) \
            \(reason), \(last.plan.product) \
            to \(subscription.plan.product), renewing \(subscription.isRenewing && !subscription.hasEnded), \
            transaction \(last.id), end \(start.days(to: last.end)), \
            grace \(start.days(to: state == 4 ? subscription.due : nil)), \
            retry \(start.days(to: isFailing ? last.end + 60 * .day : nil))
            """
    }
}

extension Date {
    /// Returns the number of days to another date; -1 for `nil`.
    fileprivate func days(to date: Date?) -> Double { date.map { $0.timeIntervalSince(self) / .day } ?? -1 }
}
