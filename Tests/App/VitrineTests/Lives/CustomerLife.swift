import Foundation
import VitrineTestSupport

/// Random steps of the customers Anna and Ben, who share a phone, on which one of them is signed in. Anna also has a
/// tablet, as soon as it is added.
///
/// Steps whose result depends on rules that ``CustomerModel`` does not have are left out:
/// - The accounts that an app keeps in one ledger have no subscription: what the ledger knows of a subscription whose
///   customer has signed out is unconfirmed for a while, and then unknown (`SubscriptionTableTests`).
/// - Refunds that take units from a wallet concern the customer who is signed in, because the order in which a device
///   hears of several changes determines the balance, if not all units are left. Units are spent on the phone only.
/// - Only the latest period of a subscription is reinstated, only while another one has not begun, because earlier
///   periods would overlap with it.
/// - A running subscription is not ordered again, which would turn its renewal on.
/// - The tablet is added while Anna is signed in on the phone, so that her transactions are finished. One that no device
///   has finished would be delivered by both.
/// - Dates never coincide: each step is an hour after the one before it, and time advances by whole days otherwise.
struct CustomerLife {
    /// Policy of the app for the accounts on the phone.
    enum Accounts: UInt64, CaseIterable {
        case separate, keptTogether
        /// Only Anna signs in; Ben is a member of her family who uses the store outside of the app.
        case one
    }

    enum Step {
        /// Purchase on a device, which needs approval if `asks` is `true`.
        case buy(String, quantity: Int, on: String, asks: Bool)
        /// Decision about a request for approval.
        case decide(String, of: String, isApproved: Bool)
        /// Redemption of an offer code in the store.
        case redeem(String, by: String)
        /// Refund of the customer's own purchase of a product with a number: 0 for the earliest one.
        case refund(String, of: String, number: Int)
        case reverse(String, of: String, number: Int)
        case spend(Int)
        case setRenewal(Bool, of: String)
        case join(String)
        case leave(String)
        /// Account change on the phone.
        case signIn(String)
        case relaunch(String)
        /// New installation of the app on the phone.
        case reinstall
        case addTablet
        case advance(days: Int)
    }

    static let customers = ["Anna", "Ben"]

    let seed: UInt64
    let accounts: Accounts
    let start: Date
    private(set) var steps: [Step] = []
    private var random: SeededGenerator
    /// Model after the steps so far, which determines the next one.
    private var model: CustomerModel

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        accounts = Accounts(rawValue: seed % 3) ?? .separate
        // Within a year from 2040-01-14: periods of subscriptions also begin on days that not all months have.
        start = Date(timeIntervalSince1970: 2_210_112_000) + Double(Int.random(in: 0..<365, using: &random)) * 86_400
        model = CustomerModel(keepsAll: accounts != .separate, now: start)
        let count = Int.random(in: 6...12, using: &random)
        while steps.count < count {
            guard let step = possibleSteps().randomElement(using: &random) else { continue }
            _ = model.perform(step)
            steps.append(step)
        }
    }

    /// Model before the first step.
    var firstModel: CustomerModel { CustomerModel(keepsAll: accounts != .separate, now: start) }

    /// The life as lines, up to a step.
    func description(upTo last: Int) -> [String] {
        ["seed \(seed), accounts: \(accounts), start: \(start.formatted(.iso8601))"]
            + steps.prefix(through: last).enumerated().map { "\($0): \($1)" }
    }

    // MARK: Steps

    /// Returns steps that make sense now, with random values; more likely ones repeatedly.
    private mutating func possibleSteps() -> [Step] {
        var steps = purchases() + refunds()
        for request in model.requests {
            let isRunning = request.product == "club.silver" && model.isSubscribed(request.customer)
            for isApproved in [false, !isRunning, !isRunning, !isRunning] {
                steps.append(.decide(request.product, of: request.customer, isApproved: isApproved))
            }
        }
        for customer in Self.customers {
            steps.append(model.family.contains(customer) ? .leave(customer) : .join(customer))
            if model.isSubscribed(customer) { steps.append(.setRenewal(below(2) == 0, of: customer)) }
        }
        if accounts != .one { steps += Array(repeating: .signIn(model.account == "Anna" ? "Ben" : "Anna"), count: 3) }
        if model.account == "Anna", model.devices == ["phone"] { steps.append(.addTablet) }
        if model.balance(on: "phone") > 0 { steps.append(.spend(1 + below(60))) }
        steps += [.relaunch(model.devices[below(model.devices.count)]), .reinstall]
        return steps + (0..<3).map { _ in .advance(days: 1 + below(below(3) == 0 ? 80 : 20)) }
    }

    private mutating func purchases() -> [Step] {
        let hasSubscription = accounts != .keptTogether
        let products = ["coins", "coins", "map", "plan", "atlas", "pass"] + (hasSubscription ? ["club.silver"] : [])
        var steps: [Step] = []
        for number in 0..<6 {
            let product = products[below(products.count)]
            let device = number > 2 ? "phone" : model.devices[below(model.devices.count)]
            let customer = model.customer(on: device)
            if product == "club.silver", model.isSubscribed(customer) { continue }
            let isRequested = model.requests.contains { $0.product == product && $0.customer == customer }
            let quantity = ["coins", "pass"].contains(product) ? 1 + below(3) : 1
            steps.append(.buy(product, quantity: quantity, on: device, asks: number > 3 && !isRequested))
        }
        let codes = ["coins", "map", "pass"] + (hasSubscription ? ["club.silver"] : [])
        return steps + [.redeem(codes[below(codes.count)], by: Self.customers[below(2)])]
    }

    private mutating func refunds() -> [Step] {
        var steps: [Step] = []
        for customer in Self.customers {
            for product in ["coins", "map", "plan", "atlas", "pass", "club.silver"] {
                let bought = model.purchases(of: product, by: customer)
                guard !bought.isEmpty,
                    !["coins", "club.silver"].contains(product) || customer == model.account
                else { continue }
                let number = below(bought.count)
                if !bought[number].isRefunded {
                    steps.append(.refund(product, of: customer, number: number))
                } else if product != "club.silver" || number == bought.count - 1 {
                    steps += Array(repeating: .reverse(product, of: customer, number: number), count: 2)
                }
            }
        }
        return steps
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}

extension Date {
    /// Returns the date a number of months later, on the same day or the last day of a shorter month.
    func adding(months: Int) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(byAdding: .month, value: months, to: self) ?? self
    }
}
