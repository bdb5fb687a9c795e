import Foundation
import VitrineStoreSimulator

/// Reference model of the subscriptions of a store's customers: plain values, without a database and the store's code.
struct SubscriptionModel {
    enum State: Equatable { case active, grace, retry, expired(Int), revoked }
    enum Consent { case pending, declined }
    struct Period {
        /// `trials` is the number of remaining periods with the introductory offer, including this one.
        let (id, price, trials): (Int, Int, Int)
        let (plan, isRenewal, start): (ClubPlan, Bool, Date)
        var end: Date
        var isUpgraded = false { didSet { finished = [] } }
        var revocation: Date? { didSet { finished = [] } }
        var finished: Set<LifeDevice> = []
    }

    final class Subscription {
        let customer: String
        var (plan, price): (ClubPlan, Int)
        var periods: [Period] = []
        var (state, due) = (State.revoked, Date.distantFuture)
        /// Start of the current series of consecutive monthly periods, and its number of months.
        var months = (start: Date.distantPast, count: 0)
        var (isRenewing, isFailing, consent) = (true, false, Consent?.none)
        var last: Period { periods[periods.count - 1] }
        var isRunning: Bool { state == .active || state == .grace }
        var hasEnded: Bool { !isRunning && state != .retry }
        var isWaiting: Bool { state == .grace || state == .retry }
        init(_ customer: String, _ plan: ClubPlan) { (self.customer, self.plan, price) = (customer, plan, 0) }
    }

    var now: Date
    var prices: [ClubPlan: Int] = [:]
    var withdrawn: Set<ClubPlan> = []
    var subscriptions: [Subscription] = []
    var events: [(date: Date, kind: StoreEvent.Kind, customer: String?)] = []
    var devices: Set<LifeDevice> = []
    var isBillingFailing = false
    var hasGracePeriod = false

    mutating func advance(to date: Date) {
        while let next = subscriptions.min(by: { $0.due < $1.due }), next.due <= date {
            now = next.due
            passDue(next)
        }
        now = date
    }

    private mutating func passDue(_ old: Subscription) {
        switch old.state {
        case .grace: enter(.retry, old, .enteredBillingRetry, until: old.last.end + 60 * .day)
        case .retry: enter(.expired(2), old, .expired)
        case _ where !old.isRenewing: end(old)
        case _ where withdrawn.contains(old.plan): enter(.expired(4), old, .expired)
        case _ where old.consent == .pending: enter(.expired(3), old, .expired)
        case _ where !isBillingFailing && !old.isFailing: charge(old, from: now, as: .renewed)
        case _ where !hasGracePeriod: enter(.retry, old, .enteredBillingRetry, until: now + 60 * .day)
        default: enter(.grace, old, .enteredGracePeriod, until: now + (old.plan.length.months == 0 ? 6 : 16) * .day)
        }
    }

    private mutating func enter(_ state: State, _ old: Subscription, _ kind: StoreEvent.Kind, until due: Date? = nil) {
        (old.state, old.due) = (state, due ?? .distantFuture)
        log(kind, old.customer)
    }

    private mutating func end(_ old: Subscription) { enter(.expired(old.consent == .declined ? 3 : 1), old, .expired) }

    private mutating func log(_ kind: StoreEvent.Kind, _ customer: String?) { events.append((now, kind, customer)) }

    /// Begins a period of the next plan.
    ///
    /// - Parameter trials: Number of periods with the introductory offer for a purchase; `nil` for a renewal.
    private mutating func charge(_ old: Subscription, from start: Date, as kind: StoreEvent.Kind, trials: Int? = nil) {
        let (plan, isRenewal) = (old.plan, trials == nil)
        let trials = trials ?? (old.last.plan == plan ? max(0, old.last.trials - 1) : 0)
        let length = trials > 0 ? plan.trialLength : plan.length
        let follows = isRenewal && start == old.last.end && old.months.count > 0 && length.months > 0
        old.months = (follows ? old.months.start : start, (follows ? old.months.count : 0) + length.months)
        old.isFailing = false
        let end = old.months.start.adding(months: old.months.count) + Double(length.days) * .day
        let (id, price) = (subscriptions.map(\.periods.count).reduce(1, +), trials > 0 ? plan.trialPrice : old.price)
        old.periods.append(
            Period(id: id, price: price, trials: trials, plan: plan, isRenewal: isRenewal, start: start, end: end))
        enter(.active, old, kind, until: end)
    }

    private mutating func buy(_ plan: ClubPlan, _ old: Subscription) {
        let isUpgrade = old.isRunning && plan.isUpgrade(from: old.last.plan)
        if isUpgrade { old.periods[old.periods.count - 1].isUpgraded = true }
        if isUpgrade || !old.isRunning {
            let mayTry = old.hasEnded && old.periods.allSatisfy { $0.trials == 0 }
            (old.plan, old.price, old.consent, old.isRenewing) = (plan, prices[plan, default: plan.price], nil, true)
            return charge(old, from: now, as: isUpgrade ? .upgraded : .purchased, trials: mayTry ? plan.trials : 0)
        }
        if plan != old.plan {
            log(plan == old.last.plan ? .planChangeCanceled : .planChangeRequested, old.customer)
            (old.plan, old.price, old.consent) = (plan, prices[plan, default: plan.price], nil)
        }
        turnRenewal(true, old)
        if plan == old.last.plan, old.state == .grace { charge(old, from: old.last.end, as: .recovered) }
    }

    private mutating func turnRenewal(_ isOn: Bool, _ old: Subscription) {
        if old.isRenewing != isOn { log(isOn ? .renewalTurnedOn : .renewalTurnedOff, old.customer) }
        if isOn, old.consent == .declined { old.consent = .pending }
        old.isRenewing = isOn
        if old.isWaiting, !isOn { end(old) }
    }

    private mutating func setRefunded(_ isRefunded: Bool, _ index: Int, _ old: Subscription) -> Bool {
        let wasRefunded = old.periods[index].revocation != nil
        guard isRefunded || wasRefunded else { return false }
        old.periods[index].revocation = isRefunded ? old.periods[index].revocation ?? now : nil
        guard isRefunded != wasRefunded else { return true }
        log(isRefunded ? .refunded : .refundReversed, old.customer)
        guard index == old.periods.count - 1 else { return true }
        old.state = isRefunded ? .revoked : now < old.last.end ? .active : .expired(1)
        old.due = old.state == .active ? old.last.end : .distantFuture
        return true
    }

    /// Performs an action with a plan.
    ///
    /// - Returns: `false` if the store refuses the action.
    mutating func perform(_ action: LifeAction, _ plan: ClubPlan, by customer: String) -> Bool {
        let found = subscriptions.first { $0.customer == customer && $0.plan.group == plan.group }
        switch (action, found) {
        case (.buy, let found) where !withdrawn.contains(plan):
            if found == nil { subscriptions.append(Subscription(customer, plan)) }
            buy(plan, found ?? subscriptions[subscriptions.count - 1])
        case (.withdraw, _):
            withdrawn.insert(plan)
            log(.withdrawn, nil)
        case (.setPrice(let price, let needsConsent), _):
            prices[plan] = price
            log(.priceChanged, nil)
            for old in subscriptions where !old.hasEnded && old.plan == plan {
                old.consent = needsConsent && price > old.price ? .pending : nil
                if old.consent == .pending { log(.consentRequested, old.customer) } else { old.price = price }
            }
        case (.setRefunded(let isRefunded, let number), let old?):
            return setRefunded(isRefunded, number % old.periods.count, old)
        case (.setRenewal(let isOn), let old?) where !old.hasEnded:
            turnRenewal(isOn, old)
        case (.consent(let agrees), let old?) where !old.hasEnded && old.consent == .pending:
            (old.consent, old.isRenewing) = (agrees ? nil : .declined, agrees && old.isRenewing)
            if agrees { old.price = prices[old.plan, default: old.price] }
            log(agrees ? .consented : .consentDeclined, old.customer)
            if old.isWaiting, !old.isRenewing { end(old) }
        case (.failBilling, let old?) where old.isRunning: old.isFailing = true
        case (.recoverBilling, let old?) where old.state == .active: old.isFailing = false
        case (.recoverBilling, let old?) where !old.hasEnded:
            charge(old, from: old.state == .grace ? old.last.end : now, as: .recovered)
        default: return false
        }
        return true
    }
}
