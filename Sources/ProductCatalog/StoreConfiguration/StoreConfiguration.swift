public import Foundation

/// A StoreKit configuration file (`.storekit`), as Xcode writes it: what a test store sells, and how it behaves. Every
/// version of the format is read.
///
/// The private key that such a file may hold is neither kept nor shown.
public struct StoreConfiguration: Sendable, Equatable {
    /// The texts of a product or a group in one language.
    public struct Localization: Sendable, Equatable {
        /// The language or locale, as in `en_US` or `zh-Hans`.
        public let locale: String
        public let displayName: String
        public let description: String
    }

    /// A product of the file.
    public struct Item: Sendable, Equatable {
        public let identifier: String
        public let kind: ProductKind
        /// The name under which the developer knows it; customers never see it.
        public let referenceName: String?
        /// `nil` where the file leaves the price empty.
        public let price: Decimal?
        public let isFamilyShareable: Bool
        public let localizations: [Localization]
    }

    /// An auto-renewable subscription.
    public struct Subscription: Sendable, Equatable {
        public let item: Item
        /// The name of its group, of which a customer has one subscription at a time.
        public let group: String
        /// Its rank in the group: 1 is the highest.
        public let level: Int
        /// How long a renewal lasts, as ISO 8601 writes it: `P1M`.
        public let period: String?
        public let offers: [Offer]
    }

    /// A lower price for a while.
    public struct Offer: Sendable, Equatable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case introductory, promotional, winBack, code
        }

        public enum PaymentMode: String, Sendable, Hashable, CaseIterable {
            case free, payAsYouGo, payUpFront
        }

        public let kind: Kind
        /// The identifier, or the name of an offer that has none.
        public let identifier: String
        public let paymentMode: PaymentMode
        /// As ISO 8601 writes it.
        public let period: String?
        /// How many periods it lasts.
        public let periodCount: Int
        /// `nil` for a free offer, and where the file leaves the price empty.
        public let price: Decimal?
    }

    /// The version of the format, such as 4 and 0.
    public let version: (major: Int, minor: Int)
    /// Consumables, non-consumables and non-renewing subscriptions.
    public let items: [Item]
    /// Auto-renewable subscriptions, group by group.
    public let subscriptions: [Subscription]
    /// The storefront's country as ISO 3166-1 alpha-3 names it: `USA` unless the file says otherwise.
    public let storefront: String
    /// The locale of the customer: `en_US` unless the file says otherwise.
    public let locale: String
    private let data: Data

    /// The keys that no known version of the format has, as paths: `products[2].pricing`. They are looked for when they
    /// are asked for.
    public var unknownKeys: [String] { UnknownStoreKeys.find(in: data) }

    /// Reads a configuration file.
    ///
    /// - Throws: ``StoreConfigurationError``.
    public init(data: Data) throws(StoreConfigurationError) {
        guard data.count <= Self.sizeLimit else {
            throw StoreConfigurationError(reason: "the file is larger than \(Self.sizeLimit) bytes")
        }
        let file: ConfigurationFile
        do {
            file = try JSONDecoder().decode(ConfigurationFile.self, from: data)
        } catch {
            throw StoreConfigurationError(decoding: error, of: data)
        }
        version = (file.version.major, file.version.minor)
        let declared = (file.products ?? []) + (file.nonRenewingSubscriptions ?? [])
        var items: [Item] = []
        for product in declared { items.append(try product.item()) }
        var subscriptions: [Subscription] = []
        for group in file.subscriptionGroups ?? [] {
            for product in group.subscriptions ?? [] {
                subscriptions.append(try product.subscription(group: group.name ?? group.id ?? ""))
            }
        }
        var identifiers: Set<String> = []
        for item in items + subscriptions.map(\.item) where !identifiers.insert(item.identifier).inserted {
            throw StoreConfigurationError(reason: "the product \(item.identifier.quoted) is in the file twice")
        }
        self.items = items
        self.subscriptions = subscriptions
        storefront = file.settings?.storefront ?? "USA"
        locale = file.settings?.locale ?? "en_US"
        self.data = data
    }

    /// The size in bytes that a file may have at most.
    package static let sizeLimit = 16 * 1024 * 1024

    public static func == (left: StoreConfiguration, right: StoreConfiguration) -> Bool {
        left.version == right.version && left.items == right.items
            && left.subscriptions == right.subscriptions && left.unknownKeys == right.unknownKeys
            && left.storefront == right.storefront && left.locale == right.locale
    }
}
