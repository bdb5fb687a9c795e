internal import VitrinePropertyList

/// StoreKit configuration that is made of a catalog, so that the simulated store and Xcode sell its products.
///
/// A catalog has neither prices nor offers, and may lack texts, groups and periods. What it lacks is replaced by a value
/// that a remark names, because somebody has to decide it before anything is really sold.
package struct StoreConfigurationDraft {
    /// The `.storekit` file.
    package let bytes: [UInt8]
    /// Remarks for the developer about values that the catalog does not contain.
    package let remarks: [String]
    /// `true` if products were left out, because their type is unknown.
    package let isMissingProducts: Bool

    /// Price of the products without a price in the price list.
    package static let placeholderPrice = "0.99"

    /// Creates a StoreKit configuration with the usable products of a catalog.
    ///
    /// - Parameter prices: Prices of products; the others get ``placeholderPrice``.
    package init(_ catalog: Catalog, prices: PriceList = PriceList()) {
        var writer = ConfigurationWriter(prices: prices)
        for product in catalog.products { writer.add(product) }
        bytes = writer.document.json()
        remarks = writer.remarks + prices.remarks(about: catalog)
        isMissingProducts = writer.isMissingProducts
    }
}

private struct ConfigurationWriter {
    let prices: PriceList
    private var products: [PropertyListContent] = []
    private var nonRenewing: [PropertyListContent] = []
    private var groups: [(name: String, subscriptions: [PropertyListContent])] = []
    private var remarksOnProducts: [String] = []
    private var productsWithoutPrice: [String] = []
    private(set) var isMissingProducts = false
    private var groupIndexes: [String: Int] = [:]

    init(prices: PriceList) { self.prices = prices }

    /// Remarks about what the catalog does not contain: one about all prices, and one about each other value.
    var remarks: [String] {
        guard let first = productsWithoutPrice.first else { return remarksOnProducts }
        let price = StoreConfigurationDraft.placeholderPrice
        let remark =
            productsWithoutPrice.count == 1
            ? "the price of \(first.quoted) is a placeholder, \(price): set it in the file, or with --prices of convert"
            : "the prices of \(productsWithoutPrice.count) products are placeholders, \(price): set them in the file, or "
                + "with --prices of convert"
        return [remark] + remarksOnProducts
    }

    var document: PropertyListContent {
        .dictionary([
            "identifier": .string("Products"),
            "version": .dictionary(["major": .integer(4), "minor": .integer(0)]),
            "settings": .dictionary(["_storefront": .string("USA"), "_locale": .string("en_US")]),
            "products": .array(products), "nonRenewingSubscriptions": .array(nonRenewing),
            "subscriptionGroups": .array(
                groups.map { group in
                    .dictionary([
                        "id": .string(group.name), "name": .string(group.name), "localizations": .array([]),
                        "subscriptions": .array(group.subscriptions),
                    ])
                }),
        ])
    }

    mutating func add(_ product: CatalogProduct) {
        switch product.kind {
        case .consumable: products.append(.dictionary(item(product, type: "Consumable")))
        case .nonConsumable: products.append(.dictionary(item(product, type: "NonConsumable")))
        case .nonRenewingSubscription:
            nonRenewing.append(.dictionary(item(product, type: "NonRenewingSubscription")))
        case .autoRenewableSubscription: addSubscription(product)
        case .unknown:
            isMissingProducts = true
            remarksOnProducts.append("\(product.identifier.quoted) is left out: the catalog does not name its type")
        }
    }

    /// Renewal periods that the App Store offers
    /// (https://developer.apple.com/help/app-store-connect/manage-subscriptions/offer-auto-renewable-subscriptions).
    private static let periods: Set<String> = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]

    private mutating func addSubscription(_ product: CatalogProduct) {
        var item = item(product, type: "RecurringSubscription")
        let group = product.subscriptionGroup ?? product.identifier
        if product.subscriptionGroup == nil { guess(product, "subscriptionGroup", "a group of its own") }
        if product.level == nil { guess(product, "level", "level 1") }
        let period = product.subscriptionDuration.map(\.description).flatMap { Self.periods.contains($0) ? $0 : nil }
        if period == nil { guess(product, "subscriptionDuration that a store can have", "P1M") }
        item["subscriptionGroupID"] = .string(group)
        item["groupNumber"] = .integer(product.level ?? 1)
        item["recurringSubscriptionPeriod"] = .string(period ?? "P1M")
        item["adHocOffers"] = .array([])
        let index = groupIndexes[group] ?? groups.count
        if index == groups.count {
            groups.append((group, []))
            groupIndexes[group] = index
        }
        groups[index].subscriptions.append(.dictionary(item))
    }

    /// Returns the values that products of every type have.
    private mutating func item(_ product: CatalogProduct, type: String) -> [String: PropertyListContent] {
        let price = prices[product.identifier]
        if price == nil { productsWithoutPrice.append(product.identifier) }
        let name = product.productTitle?.text(for: ["en"]) ?? product.identifier
        return [
            "productID": .string(product.identifier), "internalID": .string(product.identifier), "type": .string(type),
            "displayPrice": .string(price ?? StoreConfigurationDraft.placeholderPrice),
            "referenceName": .string(price == nil ? "\(name) (placeholder price)" : name),
            "familyShareable": .boolean(false), "localizations": .array(localizations(of: product)),
            "codeOffers": .array([]),
        ]
    }

    /// Returns the texts of a product in the languages of its title and description.
    private mutating func localizations(of product: CatalogProduct) -> [PropertyListContent] {
        let (title, description) = (product.productTitle, product.longDescription)
        guard title != nil || description != nil else {
            remarksOnProducts.append("\(product.identifier.quoted) has no productTitle: the file has no name for it")
            return []
        }
        var languages = (title?.languages ?? []) + (description?.languages ?? [])
        if languages.isEmpty { languages = ["en_US"] }
        var locales: Set<String> = []
        return languages.withoutDuplicates.compactMap { language in
            guard let tag = LanguageName.isKnownTag(language) ? language : LanguageName.tag(of: language) else {
                remarksOnProducts.append(
                    "the texts of \(product.identifier.quoted) in \(language.quoted) are left out: that is not a language"
                )
                return nil
            }
            // A name and a tag of one language have one text.
            guard locales.insert(LanguageName.comparableTag(of: tag)).inserted else { return nil }
            return .dictionary([
                // As Xcode writes it: pt_BR.
                "locale": .string(tag.replacing("-", with: "_")),
                "displayName": .string(title?.text(for: [tag]) ?? product.identifier),
                "description": .string(description?.text(for: [tag]) ?? ""),
            ])
        }
    }

    private mutating func guess(_ product: CatalogProduct, _ key: String, _ value: String) {
        remarksOnProducts.append("\(product.identifier.quoted) has no \(key): the file has \(value)")
    }
}
