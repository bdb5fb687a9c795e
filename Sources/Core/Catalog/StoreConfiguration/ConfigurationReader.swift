internal import Foundation

/// Reader of the products, groups and subscriptions of a StoreKit configuration file.
///
/// A product or an offer is left out if a value that it needs is missing, invalid or unknown. Other values that are
/// missing, invalid or unknown are ignored.
struct ConfigurationReader {
    private(set) var items: [StoreConfiguration.Item] = []
    private(set) var groups: [StoreConfiguration.SubscriptionGroup] = []
    private(set) var subscriptions: [StoreConfiguration.Subscription] = []
    var omissions = Omissions()
    /// Identifiers of the products that have been read and not left out.
    private var identifiers: Set<String> = []
    /// Identifiers shared by several products. All of these products are left out, as in a catalog.
    private let repeatedIdentifiers: Set<String>

    init(_ root: ConfigurationObject) {
        repeatedIdentifiers = Self.repeatedIdentifiers(in: root)
        // Files of version 1.0 contain non-renewing subscriptions among the products.
        for key in ["products", "nonRenewingSubscriptions"] {
            for product in root.objects(key, &omissions) { readItem(product) }
        }
        let groups = root.objects("subscriptionGroups", &omissions)
        for group in groups { readGroup(group) }
        for (key, name) in [
            ("subscriptionBundleGroups", "subscription bundles"), ("subscriptionSuiteGroups", "subscription suites"),
        ] {
            for group in root.objects(key, &omissions) { leaveOut(group, reason: "\(name) are not supported") }
        }
        leaveOutUnknown(in: root, UnknownStoreKey.rootKeys)
        for group in groups { leaveOutUnknown(in: group, UnknownStoreKey.groupKeys) }
    }

    /// Reports products under a key that no version of the format has, such as a misspelled one.
    private mutating func leaveOutUnknown(in object: ConfigurationObject, _ known: Set<String>) {
        for (key, products) in object.products(besides: known) {
            let suggestion =
                EditDistance.nearest(to: key, among: known.sorted()).map { "; did you mean \($0.quoted)?" } ?? ""
            for product in products where !identifiers.contains(product) {
                leaveOut(product, "it is under the unknown key \(key.quoted)\(suggestion)")
            }
        }
    }

    private mutating func readItem(_ product: ConfigurationObject) {
        guard let item = item(product) else { return }
        guard item.kind != .autoRenewableSubscription else {
            return leaveOut(item.identifier, "it is not in a subscription group")
        }
        items.append(item)
        note(item)
    }

    private mutating func readGroup(_ object: ConfigurationObject) {
        let name = object.text("name", &omissions)
        let id = object.text("id", &omissions) ?? name ?? object.path
        let group = StoreConfiguration.SubscriptionGroup(
            id: id, name: name ?? id, localizations: localizations(of: object))
        groups.append(group)
        for product in object.objects("subscriptions", &omissions) { readSubscription(product, in: group) }
    }

    private mutating func readSubscription(
        _ object: ConfigurationObject, in group: StoreConfiguration.SubscriptionGroup
    ) {
        guard let item = item(object) else { return }
        guard item.kind == .autoRenewableSubscription else {
            return leaveOut(item.identifier, "it is in a subscription group but is not a RecurringSubscription")
        }
        if let plan = unsupportedBillingPlan(of: object) {
            return leaveOut(item.identifier, "its billing plan \(plan.quoted) is not supported")
        }
        let periodText = object.text("recurringSubscriptionPeriod", &omissions) ?? ""
        guard let period = RenewalPeriod(iso8601: periodText) else {
            return leaveOut(
                item.identifier,
                periodText.isEmpty
                    ? "it has no recurringSubscriptionPeriod"
                    : "its recurringSubscriptionPeriod \(periodText.quoted) is not a period like P1M")
        }
        subscriptions.append(
            StoreConfiguration.Subscription(
                item: item, group: group.name, groupID: group.id, level: level(of: object), period: period,
                offers: offers(of: object, product: item.identifier)))
        note(item)
    }

    /// Returns the first enabled billing plan of a subscription that does not charge at the beginning of each period.
    private mutating func unsupportedBillingPlan(of subscription: ConfigurationObject) -> String? {
        for plan in subscription.objects("billingPlans", &omissions) {
            let type = plan.text("billingPlanType", &omissions) ?? ""
            if type != Self.ordinaryBillingPlan, plan.flag("isEnabled", &omissions) ?? true { return type }
        }
        return nil
    }

    /// Billing plan of a subscription that is paid at the beginning of each period.
    static let ordinaryBillingPlan = "BILLED_UPFRONT"

    private mutating func level(of subscription: ConfigurationObject) -> Int {
        guard let level = subscription.integer("groupNumber", &omissions) else { return 1 }
        if level < 1 { omissions.add(.value, "\(subscription.path).groupNumber is ignored: \(level) is less than 1") }
        return max(level, 1)
    }

    /// Reads the values that products of every type have.
    private mutating func item(_ product: ConfigurationObject) -> StoreConfiguration.Item? {
        guard let identifier = product.text("productID", &omissions), !identifier.isEmpty else {
            omissions.add(.product, "\(product.path) is left out: it has no productID")
            return nil
        }
        guard !repeatedIdentifiers.contains(identifier) else {
            omissions.add(
                .product, "\(product.path) is left out: it has the productID \(identifier.quoted) of another product")
            return nil
        }
        let type = product.text("type", &omissions) ?? ""
        guard let kind = Self.kinds[type] else {
            leaveOut(identifier, type.isEmpty ? "it has no type" : "its type \(type.quoted) is unknown")
            return nil
        }
        let priceText = product.text("displayPrice", &omissions) ?? ""
        guard let price = ConfigurationPrice.parse(priceText) else {
            leaveOut(identifier, "its price \(priceText.quoted) is not a number like 4.99")
            return nil
        }
        let codeOffers = kind == .autoRenewableSubscription ? [] : codeOffers(of: product, product: identifier)
        return StoreConfiguration.Item(
            identifier: identifier,
            kind: kind,
            referenceName: product.text("referenceName", &omissions),
            price: price,
            // Some files contain a misspelling of the key.
            isFamilyShareable: product.flag("familyShareable", &omissions)
                ?? product.flag("familySharable", &omissions) ?? false,
            localizations: localizations(of: product),
            codeOffers: codeOffers)
    }

    private static let kinds: [String: ProductKind] = [
        "Consumable": .consumable, "NonConsumable": .nonConsumable,
        "NonRenewingSubscription": .nonRenewingSubscription, "RecurringSubscription": .autoRenewableSubscription,
    ]

    private static func repeatedIdentifiers(in root: ConfigurationObject) -> Set<String> {
        // The values are read a second time, with their omissions, when the products are read.
        var omissions = Omissions()
        let groups = root.objects("subscriptionGroups", &omissions)
        let products =
            root.objects("products", &omissions) + root.objects("nonRenewingSubscriptions", &omissions)
            + groups.flatMap { $0.objects("subscriptions", &omissions) }
        var (identifiers, repeated): (Set<String>, Set<String>) = ([], [])
        for identifier in products.compactMap({ $0.text("productID", &omissions) })
        where !identifiers.insert(identifier).inserted {
            repeated.insert(identifier)
        }
        return repeated
    }

    private mutating func localizations(of object: ConfigurationObject) -> [StoreConfiguration.Localization] {
        object.objects("localizations", &omissions).compactMap { texts in
            guard let locale = texts.text("locale", &omissions) else {
                omissions.add(.value, "\(texts.path) is ignored: it has no locale")
                return nil
            }
            return StoreConfiguration.Localization(
                locale: locale, displayName: texts.text("displayName", &omissions) ?? "",
                description: texts.text("description", &omissions) ?? "")
        }
    }

    private mutating func note(_ item: StoreConfiguration.Item) {
        identifiers.insert(item.identifier)
        if item.price == nil {
            omissions.add(.price, "the product \(item.identifier.quoted) is not sold: it has no displayPrice")
        }
    }

    private mutating func leaveOut(_ product: String, _ reason: String) {
        omissions.add(.product, "the product \(product.quoted) is left out: \(reason)")
    }

    /// Reports the products of an unsupported object, such as a subscription bundle, as left out, unless the file also
    /// contains them elsewhere.
    private mutating func leaveOut(_ object: ConfigurationObject, reason: String) {
        let products = object.productIdentifiers
        if products.isEmpty { omissions.add(.product, "\(object.path) is left out: \(reason)") }
        for product in products where !identifiers.contains(product) { leaveOut(product, reason) }
    }
}

/// Price in a StoreKit configuration file.
enum ConfigurationPrice {
    /// Parses a price of up to twelve digits, and up to six digits after a decimal point.
    ///
    /// - Returns: `nil` for a text that is not a price, and a price of `nil` for an empty text.
    static func parse(_ text: String) -> Decimal?? {
        guard !text.isEmpty else { return .some(nil) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isPrice =
            (1...2).contains(parts.count)
            && zip(parts, [12, 6]).allSatisfy { part, most in
                (1...most).contains(part.count)
                    && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
        guard isPrice, let price = Decimal(string: text) else { return nil }
        return price
    }
}
