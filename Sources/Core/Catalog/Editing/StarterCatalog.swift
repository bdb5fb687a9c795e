internal import VitrinePropertyList

/// Starter catalog for an app, made from a StoreKit configuration, a catalog of another library, or a list of
/// identifiers.
package struct StarterCatalog {
    private struct Product {
        let identifier: String
        let kind: ProductKind
        var storageKey: String?
        var productValue: Int?
        var titles: [(language: String, text: String)] = []
        var descriptions: [(language: String, text: String)] = []
        var group: String?
        var level: Int?
        var duration: String?
        var userInfo: String?
    }

    private var products: [Product]
    /// Remarks for the developer about values that must be checked before the catalog is used.
    package let remarks: [String]
    /// `true` if products of the source file were omitted because of errors.
    package let isMissingProducts: Bool

    /// Creates a catalog from a StoreKit configuration. The consumables of a configuration have neither wallet nor
    /// value: both are guessed from the identifier.
    package init(_ configuration: StoreConfiguration) {
        let guesses = WalletGuess.guesses(
            for: configuration.items.filter { $0.kind == .consumable }.map(\.identifier))
        products =
            configuration.items.map { Self.product($0, guesses[$0.identifier]) }
            + configuration.subscriptions.map { subscription in
                var product = Self.product(subscription.item, nil)
                product.group = [subscription.group, subscription.groupID].first { !$0.isEmpty }
                product.level = product.group == nil ? nil : subscription.level
                product.duration = subscription.period.description
                return product
            }
        let guessed = products.compactMap { product in
            guesses[product.identifier].map { guess in
                "check storageKey \(guess.wallet.quoted) and productValue \(guess.units) of "
                    + "\(product.identifier.quoted): they were guessed from its identifier"
            }
        }
        let endless = products.filter { $0.kind == .nonRenewingSubscription }.count
        isMissingProducts = configuration.omissions.contains { $0.kind == .product }
        let advice =
            endless == 0
            ? []
            : ["add subscriptionDuration to the non-renewing subscriptions (\(endless)): they are not sold without it"]
        remarks = configuration.omissions.map(\.description) + guessed + advice
    }

    /// Creates a catalog from a catalog of another library or from a list of identifiers.
    package init(_ catalog: Catalog) {
        products = catalog.products.map { product in
            Product(
                identifier: product.identifier, kind: product.kind, storageKey: product.storageKey,
                productValue: product.productValue, userInfo: product.userInfo?.string)
        }
        isMissingProducts = catalog.hasErrors
        let unknown = products.filter { $0.kind == .unknown }.count
        remarks =
            unknown == 0
            ? []
            : ["add the key consumable to each product without it (\(unknown)): the file does not name its type"]
    }

    private static func product(_ item: StoreConfiguration.Item, _ guess: WalletGuess?) -> Product {
        let texts = item.localizations
        return Product(
            identifier: item.identifier, kind: item.kind, storageKey: guess?.wallet, productValue: guess?.units,
            titles: texts.filter { !$0.displayName.isEmpty }.map { ($0.locale, $0.displayName) },
            descriptions: texts.filter { !$0.description.isEmpty }.map { ($0.locale, $0.description) })
    }

    // MARK: Writing

    package var xml: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>\(products.map(element).joined())</array>
        </plist>
        """
    }

    private func element(_ product: Product) -> String {
        let kind =
            switch product.kind {
            case .consumable: "<key>consumable</key><true/>"
            case .nonConsumable: "<key>consumable</key><false/>"
            case .unknown: ""
            case .nonRenewingSubscription, .autoRenewableSubscription:
                "<key>type</key><string>\(product.kind.rawValue)</string>"
            }
        return "<dict>" + string("productIdentifier", product.identifier) + kind
            + string("storageKey", product.storageKey) + integer("productValue", product.productValue)
            + texts("productTitle", product.titles) + texts("longDescription", product.descriptions)
            + string("subscriptionGroup", product.group) + integer("level", product.level)
            + string("subscriptionDuration", product.duration)
            + string("userInfo", product.userInfo) + "</dict>"
    }

    private func string(_ key: String, _ text: String?) -> String {
        text.map { "<key>\(key)</key><string>\($0.escapedForXML)</string>" } ?? ""
    }

    private func integer(_ key: String, _ number: Int?) -> String {
        number.map { "<key>\(key)</key><integer>\($0)</integer>" } ?? ""
    }

    private func texts(_ key: String, _ texts: [(language: String, text: String)]) -> String {
        guard !texts.isEmpty else { return "" }
        let entries = texts.map { string($0.language.escapedForXML, $0.text) }.joined()
        return "<key>\(key)</key><dict>\(entries)</dict>"
    }
}

extension String {
    /// Text escaped for XML, without the characters that XML cannot represent.
    fileprivate var escapedForXML: String {
        unicodeScalars.compactMap(XMLText.spelling).joined()
    }
}
