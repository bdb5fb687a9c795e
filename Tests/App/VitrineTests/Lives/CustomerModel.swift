import Foundation

/// Products and units that the devices of the customers Anna and Ben should have after the steps of a ``CustomerLife``,
/// by the simplest rules. Every device asks the store after each step.
struct CustomerModel {
    struct Purchase {
        var id = 0
        var customer: String
        let product: String
        var quantity = 1
        var date: Date
        /// Device that receives a consumable.
        var device = "phone"
        /// End of a period of the subscription.
        var end = Date.distantFuture
        var hasCode = false
        /// Purchase of the other customer that the family shares with this one; `nil` for an own purchase.
        var source: Int?
        var isRefunded = false
    }

    private static let units = ["coins": 10, "club.silver": 100]
    private static let children = ["atlas": ["map", "plan"], "pass": ["plan"], "club.silver": ["map"]]
    private static let shareable: Set = ["map", "atlas", "club.silver"]
    /// `true` if the phone keeps everything that was bought on it in one ledger.
    let keepsAll: Bool
    private(set) var now: Date
    /// Customer who is signed in on the phone. The tablet is Anna's.
    private(set) var account = "Anna"
    private(set) var devices = ["phone"]
    private(set) var family: Set<String> = []
    private(set) var purchases: [Purchase] = []
    private(set) var requests: [Purchase] = []
    private var subscriptions: [String: (start: Date, periods: Int, isRenewing: Bool)] = [:]
    /// Records of each ledger about a purchase: its refund, the credited units, and those that the refund has taken.
    private var ledgers: [String: [Int: (isRefunded: Bool, units: Int, taken: Int)]] = [:]
    private var balances: [String: Int] = [:]
    /// Purchases that a device has received, also with an earlier ledger.
    private var received: Set<String> = []

    init(keepsAll: Bool, now: Date) { (self.keepsAll, self.now) = (keepsAll, now) }
    func customer(on device: String) -> String { device == "tablet" ? "Anna" : account }
    private func place(of device: String) -> String { keepsAll ? device : "\(device) of \(customer(on: device))" }
    func balance(on device: String) -> Int { balances[place(of: device)] ?? 0 }

    /// Returns a customer's own purchases of a product, in the order of their dates.
    func purchases(of product: String, by customer: String) -> [Purchase] {
        purchases.filter { $0.customer == customer && $0.product == product && $0.source == nil }
    }

    func isSubscribed(_ customer: String) -> Bool {
        purchases(of: "club.silver", by: customer).last.map { !$0.isRefunded && $0.end > now } ?? false
    }

    func owned(on device: String) -> Set<String> {
        let valid = valid(on: device)
        let endOfPasses = valid.filter { $0.product == "pass" }
            .reduce(Date.distantPast) { max($0, $1.date) + Double(30 * $1.quantity) * 86_400 }
        let owned = Set(valid.map(\.product)).subtracting(["coins"] + (endOfPasses > now ? [] : ["pass"]))
        return owned.union(owned.flatMap { Self.children[$0] ?? [] })
    }

    private func valid(on device: String) -> [Purchase] {
        purchases.filter { ledgers[place(of: device)]?[$0.id]?.isRefunded == false && $0.end > now }
    }

    /// Performs a step, an hour after the one before it.
    ///
    /// - Returns: `false` for an order that is not charged, a code that is refused, and units that the wallet lacks.
    mutating func perform(_ step: CustomerLife.Step) -> Bool {
        pass(3_600)
        defer { for device in devices { askStore(on: device) } }
        switch step {
        case .buy(let product, let quantity, let device, let asks):
            let customer = customer(on: device)
            guard !isRefused(product, on: device), !isHeld(product, by: customer) else { return false }
            let order = Purchase(customer: customer, product: product, quantity: quantity, date: now, device: device)
            if asks { requests.append(order) }
            return !asks && charge(order)
        case .decide(let product, let customer, let isApproved):
            let index = requests.firstIndex { $0.product == product && $0.customer == customer }
            guard var order = index.map({ requests.remove(at: $0) }), isApproved else { return true }
            order.date = now
            return isHeld(product, by: customer) || charge(order)
        case .redeem(let product, let customer):
            let isFirst = !purchases(of: product, by: customer).contains(where: \.hasCode)
            let isEligible = product != "club.silver" || !isSubscribed(customer)
            return isFirst && isEligible && !isHeld(product, by: customer)
                && charge(Purchase(customer: customer, product: product, date: now, hasCode: true))
        case .refund(let product, let customer, let number):
            let id = purchases(of: product, by: customer)[number].id
            setRefunded(true) { $0.id == id || $0.source == id }
        case .reverse(let product, let customer, let number):
            let (purchase, isShared) = (purchases(of: product, by: customer)[number], family.count == 2)
            setRefunded(false) { $0.id == purchase.id || $0.source == purchase.id && isShared }
            if purchase.end <= now { subscriptions[customer]?.isRenewing = false }
        case .spend(let units):
            guard balance(on: "phone") >= units else { return false }
            balances[place(of: "phone")]? -= units
        case .setRenewal(let isOn, let customer): subscriptions[customer]?.isRenewing = isOn
        case .join(let customer):
            family.insert(customer)
            let valid = purchases.filter { $0.source == nil && !$0.isRefunded && $0.end > now }
            for purchase in valid { share(purchase) }
        case .leave(let customer):
            family.remove(customer)
            setRefunded(true) { $0.source != nil }
        case .signIn(let customer): account = customer
        case .relaunch: break
        case .reinstall:
            for place in ledgers.keys where place.hasPrefix("phone") { (ledgers[place], balances[place]) = (nil, nil) }
        case .addTablet:
            devices.append("tablet")
            received.formUnion(purchases.map { "tablet \($0.id)" })
        case .advance(let days): pass(Double(days) * 86_400)
        }
        return true
    }

    /// Advances the clock. A request for approval is valid for a day, and a subscription renews monthly.
    private mutating func pass(_ seconds: TimeInterval) {
        now += seconds
        requests.removeAll { $0.date + 86_400 <= now }
        for (customer, subscription) in subscriptions where subscription.isRenewing {
            while let last = purchases(of: "club.silver", by: customer).last, last.end <= now, !last.isRefunded {
                addPeriod(to: customer)
            }
        }
    }

    /// Returns `true` if the app refuses to sell a product, because it is owned otherwise than by an own purchase.
    private func isRefused(_ product: String, on device: String) -> Bool {
        product != "pass" && owned(on: device).contains(product)
            && !valid(on: device).contains { $0.product == product && $0.source == nil }
    }

    /// Returns `true` if the customer has a product that is bought once, so that the store charges nothing for it.
    private func isHeld(_ product: String, by customer: String) -> Bool {
        ["map", "plan", "atlas"].contains(product)
            && purchases.contains { $0.customer == customer && $0.product == product && !$0.isRefunded }
    }

    private mutating func charge(_ purchase: Purchase) -> Bool {
        if purchase.product == "club.silver" {
            subscriptions[purchase.customer] = (start: now, periods: 0, isRenewing: true)
            addPeriod(to: purchase.customer, hasCode: purchase.hasCode)
        } else {
            add(purchase)
        }
        return true
    }

    private mutating func addPeriod(to customer: String, hasCode: Bool = false) {
        guard let (start, periods, _) = subscriptions[customer] else { return }
        subscriptions[customer]?.periods += 1
        add(
            Purchase(
                customer: customer, product: "club.silver", date: now, end: start.adding(months: periods + 1),
                hasCode: hasCode))
    }

    private mutating func add(_ purchase: Purchase) {
        purchases.append(purchase)
        purchases[purchases.count - 1].id = purchases.count - 1
        if purchase.source == nil { share(purchases[purchases.count - 1]) }
    }

    private mutating func share(_ purchase: Purchase) {
        guard family.count == 2, Self.shareable.contains(purchase.product) else { return }
        var copy = purchase
        (copy.customer, copy.source) = (purchase.customer == "Anna" ? "Ben" : "Anna", purchase.id)
        add(copy)
    }

    private mutating func setRefunded(_ isRefunded: Bool, where isConcerned: (Purchase) -> Bool) {
        for index in purchases.indices where isConcerned(purchases[index]) { purchases[index].isRefunded = isRefunded }
    }

    /// Records on a device what the store knows of its customer. Units are credited once on each device, and a refund
    /// takes them, down to a balance of zero.
    private mutating func askStore(on device: String) {
        let (place, customer) = (place(of: device), customer(on: device))
        var (ledger, balance) = (ledgers[place] ?? [:], balance(on: device))
        for purchase in purchases where purchase.customer == customer {
            if purchase.product == "coins", purchase.device != device { continue }
            var fact = ledger[purchase.id] ?? (isRefunded: false, units: 0, taken: 0)
            let isNew = received.insert("\(device) \(purchase.id)").inserted
            switch (fact.isRefunded, purchase.isRefunded) {
            case (false, true):
                fact.taken = min(fact.units, balance)
                balance -= fact.taken
            case (true, false): balance += fact.taken
            case (false, false) where isNew && purchase.source == nil:
                fact.units = purchase.quantity * (Self.units[purchase.product] ?? 0)
                balance += fact.units
            default: break
            }
            fact.isRefunded = purchase.isRefunded
            ledger[purchase.id] = fact
        }
        (ledgers[place], balances[place]) = (ledger, balance)
    }
}
