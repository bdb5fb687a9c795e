import Foundation
import VitrineStoreSimulator
import VitrineTestSupport

/// Auto-renewable subscription of `Club.storekit`, as that file describes it. Prices are in thousandths of the
/// currency's unit.
struct ClubPlan: Hashable {
    struct Length: Hashable {
        var months = 0
        var days = 0
    }

    let product: String
    var group = "club"
    let level: Int
    let price: Int
    var length = Length(months: 1)
    /// Number of periods of the introductory offer.
    var trials = 0
    var trialLength = Length()
    var trialPrice = 0

    static let all = [
        ClubPlan(product: "gold".club, level: 1, price: 9_990, trials: 1, trialLength: Length(days: 7)),
        ClubPlan(product: "silver".club, level: 2, price: 4_990),
        ClubPlan(product: "argent".club, level: 2, price: 5_490),
        ClubPlan(product: "silver.year".club, level: 2, price: 49_990, length: Length(months: 12)),
        ClubPlan(
            product: "bronze".club, level: 3, price: 2_990, trials: 3, trialLength: Length(months: 1), trialPrice: 990),
        ClubPlan(product: "week".club, level: 4, price: 990, length: Length(days: 7)),
        ClubPlan(product: "news", group: "news", level: 1, price: 1_990),
    ]

    /// Returns `true` if a purchase of this plan replaces the other one immediately.
    func isUpgrade(from other: ClubPlan) -> Bool {
        self != other && (level < other.level || level == other.level && length == other.length)
    }
}

/// Device of a customer.
struct LifeDevice: Hashable, CustomStringConvertible {
    let customer: String
    let name: String

    var description: String { "\(customer)'s \(name)" }
}

/// Action of a customer, the developer or the store that concerns a plan of the club.
enum LifeAction {
    case buy, withdraw, failBilling, recoverBilling, finish
    case setRenewal(Bool)
    case setBillingFailing(Bool)
    case setGracePeriod(Bool)
    case setPrice(Int, needsConsent: Bool)
    case consent(Bool)
    /// Refund of a transaction, or its reversal. The number, modulo the count, is the index of the transaction among
    /// the customer's transactions in the group.
    case setRefunded(Bool, Int)
}

struct LifeStep {
    let date: Date
    let device: LifeDevice
    let action: LifeAction
    let plan: ClubPlan
}

/// Actions of two customers on their devices, at random times within about two years.
struct RandomLife {
    let seed: UInt64
    let start: Date
    private(set) var steps: [LifeStep] = []
    private(set) var end: Date
    private var random: SeededGenerator
    /// Model after the actions so far, which determines the next actions.
    private var model: SubscriptionModel

    /// - Parameter finishes: `true` if devices finish transactions.
    init(seed: UInt64, finishes: Bool) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        // Half of the lives begin at the end of a month, where months differ.
        let days = ["2027-01-29", "2027-03-31", "2027-08-31", "2027-12-31", "2028-01-30", "2028-02-29"]
        let day = Date.at(days.randomElement(using: &random) ?? days[0])
        start = Bool.random(using: &random) ? day : day + Double(Int.random(in: 0..<365 * 86_400, using: &random))
        (model, end) = (SubscriptionModel(now: start), start)
        let count = Int.random(in: 4...11, using: &random)
        while steps.count < count {
            let step = nextStep()
            if case .finish = step.action, !finishes { continue }
            _ = model.perform(step)
            steps.append(step)
        }
        end = nextDate() + 20 * .day
    }

    /// Steps as lines, with dates in days since the start.
    var description: [String] {
        ["start: \(start.formatted(.iso8601))"]
            + steps.enumerated().map { number, step in
                let days = step.date.timeIntervalSince(start) / .day
                return "\(number): \(days): \(step.device): \(step.action) \(step.plan.product)"
            } + ["end: \(end.timeIntervalSince(start) / .day)"]
    }

    private mutating func nextStep() -> LifeStep {
        let device = LifeDevice(
            customer: Int.random(in: 0..<6, using: &random) > 0 ? "Ada" : "Ben",
            name: Int.random(in: 0..<4, using: &random) > 0 ? "phone" : "tablet")
        let held = model.subscriptions.filter { $0.customer == device.customer }
        guard let subscription = held.randomElement(using: &random) else {
            let plan = ClubPlan.all.randomElement(using: &random) ?? ClubPlan.all[0]
            let action = Bool.random(using: &random) || model.hasGracePeriod ? LifeAction.buy : .setGracePeriod(true)
            return LifeStep(date: model.now, device: device, action: action, plan: plan)
        }
        let date = nextDate()
        model.advance(to: date)
        let action = nextAction(for: subscription)
        var plans = [subscription.plan, subscription.last.plan]
        if case .buy = action, Bool.random(using: &random) { plans = ClubPlan.all }
        return LifeStep(
            date: date, device: device, action: action, plan: plans.randomElement(using: &random) ?? plans[0])
    }

    private mutating func nextDate() -> Date {
        let due = model.subscriptions.map(\.due).min() ?? .distantFuture
        let isDue = due < .distantFuture
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: return model.now
        case 7..<13 where isDue: return due
        case 13 where isDue: return max(model.now, due - 1)
        case 14: return model.now + Double(Int.random(in: 1...80 * 86_400, using: &random))
        default: return model.now + Double(Int.random(in: 1...16 * 86_400, using: &random))
        }
    }

    /// Returns a random action, preferring actions that fit the state of a subscription.
    private mutating func nextAction(for subscription: SubscriptionModel.Subscription) -> LifeAction {
        let (number, price) = (Int.random(in: 0..<1_000, using: &random), 10 * Int.random(in: 50...999, using: &random))
        var actions: [LifeAction] = [
            .buy, .buy, .setRenewal(false), .setPrice(price, needsConsent: true),
            .setPrice(price, needsConsent: number.isMultiple(of: 2)), .setRefunded(!number.isMultiple(of: 3), number),
            .setBillingFailing(number.isMultiple(of: 2)), .finish, number < 200 ? .withdraw : .finish,
        ]
        switch subscription.state {
        case .active:
            actions += [.buy, .buy, .buy, .failBilling, .failBilling, .setGracePeriod(!model.hasGracePeriod)]
        case .grace, .retry: actions += [.buy, .buy, .buy, .buy, .recoverBilling, .recoverBilling, .failBilling]
        case .revoked, .expired: actions += [.buy, .buy, .buy, .setRefunded(false, number), .setRefunded(true, number)]
        }
        switch subscription.consent {
        case .pending: actions += Array(repeating: .consent(number.isMultiple(of: 2)), count: 8)
        case .declined: actions += [.buy, .buy, .setRenewal(true), .setRenewal(true)]
        case nil: break
        }
        if !subscription.isRenewing { actions += [.setRenewal(true), .buy] }
        return actions.randomElement(using: &random) ?? .buy
    }
}

/// Performance of random steps by the model.
extension SubscriptionModel {
    /// Performs the action of a step.
    ///
    /// - Returns: `false` if the store refuses the action.
    mutating func perform(_ step: LifeStep) -> Bool {
        advance(to: step.date)
        if devices.insert(step.device).inserted { finish(on: step.device) { !$0.finished.isEmpty } }
        switch step.action {
        case .finish: finish(on: step.device) { _ in true }
        case .setBillingFailing(let isFailing): isBillingFailing = isFailing
        case .setGracePeriod(let isOn): hasGracePeriod = isOn
        default: return perform(step.action, step.plan, by: step.device.customer)
        }
        return true
    }

    private func finish(on device: LifeDevice, where isFinished: (Period) -> Bool) {
        for subscription in subscriptions where subscription.customer == device.customer {
            for index in subscription.periods.indices where isFinished(subscription.periods[index]) {
                subscription.periods[index].finished.insert(device)
            }
        }
    }
}

extension TimeInterval {
    static let day: TimeInterval = 86_400
}

extension Date {
    /// Returns the date a number of months later, on the same day or the last day of a shorter month.
    func adding(months: Int) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(byAdding: .month, value: months, to: self) ?? self
    }
}
