internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Products that the store of a preview sells, from a `.storekit` file or otherwise from the catalog.
struct StoreSource: Sendable {
    /// Content of the `.storekit` file.
    let data: Data
    let configuration: StoreConfiguration

    /// Reads a `.storekit` file.
    ///
    /// - Throws: ``StoreSourceError`` with the position of the error.
    init(url: URL) throws(StoreSourceError) {
        let name = url.lastPathComponent
        do {
            data = try BoundedFile.read(url, limit: StoreConfiguration.sizeLimit)
        } catch {
            throw StoreSourceError(
                file: PreviewFileError(name, error.reason), code: error.isMissing ? .notFound : .storage)
        }
        do {
            configuration = try StoreConfiguration(data: data)
        } catch {
            throw StoreSourceError(
                file: PreviewFileError(name, error.reason, error.position), code: .unusableData)
        }
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
