internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineReceipts
internal import VitrineSupport

/// Products that the store of a preview sells, from a `.storekit` file or otherwise from the catalog.
struct StoreSource: Sendable {
    /// Content of the `.storekit` file, with a key for promotional offers if it has some and no key.
    let data: Data
    let configuration: StoreConfiguration

    /// Reference names of offer codes by product.
    var codes: [String: [String]] {
        var codes: [String: [String]] = [:]
        for subscription in configuration.subscriptions {
            let names = subscription.offers.filter { $0.kind == .code }.map(\.identifier)
            if !names.isEmpty { codes[subscription.item.identifier] = names }
        }
        for item in configuration.items where !item.codeOffers.isEmpty {
            codes[item.identifier] = item.codeOffers.map(\.identifier)
        }
        return codes
    }

    /// Reads a `.storekit` file.
    ///
    /// - Throws: ``StoreSourceError`` with the position of the error.
    init(url: URL) throws(StoreSourceError) {
        let name = url.lastPathComponent
        let file: Data
        do {
            file = try BoundedFile.read(url, limit: StoreConfiguration.sizeLimit)
        } catch {
            throw StoreSourceError(
                file: PreviewFileError(name, error.reason), code: error.isMissing ? .notFound : .storage)
        }
        do {
            let own = try StoreConfiguration(data: file)
            let promotes = own.subscriptions.contains { $0.offers.contains { $0.kind == .promotional } }
            data = promotes ? Self.withOffersKey(file) : file
            configuration = own
        } catch {
            throw StoreSourceError(
                file: PreviewFileError(name, error.reason, error.position), code: .unusableData)
        }
    }

    /// Returns a `.storekit` file with a key for promotional offers, which the store needs to sell them. A file with a
    /// key is returned unchanged.
    private static func withOffersKey(_ file: Data) -> Data {
        let name = "subscriptionOffersKeyPair"
        guard file.firstRange(of: Data(name.utf8)) == nil, let start = file.firstIndex(of: UInt8(ascii: "{")) else {
            return file
        }
        let lines = OfferKey(newWithIdentifier: "PREVIEW").pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        var changed = file
        changed.insert(
            contentsOf: Data(#""\#(name)":{"id":"PREVIEW","privateKey":"\#(lines.joined())"},"#.utf8),
            at: file.index(after: start))
        return changed
    }

    /// Creates a store that sells all products of a catalog, at default prices for each kind.
    ///
    /// - Throws: ``StoreSourceError`` if the products cannot be written as a `.storekit` file.
    init(of catalog: Catalog) throws(StoreSourceError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            data = try encoder.encode(GeneratedStore(catalog))
            configuration = try StoreConfiguration(data: data)
        } catch {
            throw StoreSourceError(
                file: PreviewFileError("the store made from the catalog", "\(error)"), code: .unusableData)
        }
    }
}

/// Error of an unusable `.storekit` file, with its position.
struct StoreSourceError: Error {
    let file: PreviewFileError
    let code: PreviewErrorCode

    var error: PreviewError { PreviewError(code: code, reason: file.description) }
}

/// Content of a `.storekit` file generated from a catalog. It contains no product texts, so that the page shows the
/// catalog's texts.
private struct GeneratedStore: Encodable {
    struct Version: Encodable {
        var major = 4
        var minor = 0
    }

    struct Settings: Encodable {
        var _storefront = "USA"
        var _locale = "en_US"
    }

    struct Product: Encodable {
        let productID: String
        let type: String
        let displayPrice: String
        var familyShareable = false
        let referenceName: String
        let internalID: String
        var localizations: [String] = []
        var groupNumber: Int?
        var recurringSubscriptionPeriod: String?
        var subscriptionGroupID: String?
        var adHocOffers: [String]?
        var codeOffers: [String]?
    }

    struct Group: Encodable {
        let id: String
        let name: String
        var localizations: [String] = []
        let subscriptions: [Product]
    }

    var identifier = "Preview"
    var version = Version()
    var settings = Settings()
    let products: [Product]
    let nonRenewingSubscriptions: [Product]
    let subscriptionGroups: [Group]

    init(_ catalog: Catalog) {
        var (products, nonRenewing): ([Product], [Product]) = ([], [])
        var (groups, names): ([String: [Product]], [String]) = ([:], [])
        for (number, product) in catalog.products.enumerated() {
            switch product.kind {
            case .consumable: products.append(Product(product, number, "Consumable", "0.99"))
            case .nonConsumable, .unknown:
                let price = product.childProducts.isEmpty ? "2.99" : "9.99"
                products.append(Product(product, number, "NonConsumable", price))
            case .nonRenewingSubscription:
                nonRenewing.append(Product(product, number, "NonRenewingSubscription", "9.99"))
            case .autoRenewableSubscription:
                let group = product.subscriptionGroup ?? product.identifier
                if groups[group] == nil { names.append(group) }
                groups[group, default: []].append(Product(product, number, group: group))
            }
        }
        self.products = products
        nonRenewingSubscriptions = nonRenewing
        subscriptionGroups = names.map { Group(id: $0, name: $0, subscriptions: groups[$0] ?? []) }
    }
}

extension GeneratedStore.Product {
    init(_ product: CatalogProduct, _ number: Int, _ type: String, _ price: String) {
        self.init(
            productID: product.identifier, type: type, displayPrice: price, referenceName: product.identifier,
            internalID: String(number + 1))
    }

    /// Creates a monthly subscription. The highest level (1) has the highest price.
    init(_ product: CatalogProduct, _ number: Int, group: String) {
        let level = product.level ?? 1
        self.init(
            productID: product.identifier, type: "RecurringSubscription",
            displayPrice: "\(max(1, 10 - level * 2)).99", referenceName: product.identifier,
            internalID: String(number + 1), groupNumber: level, recurringSubscriptionPeriod: "P1M",
            subscriptionGroupID: group, adHocOffers: [], codeOffers: [])
    }
}
