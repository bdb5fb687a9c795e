public import Foundation

/// A StoreKit configuration file (`.storekit`), as Xcode writes it: what a test store sells, and how it behaves.
///
/// Consumables, non-consumables and non-renewing subscriptions are read, from every version of the format; see
/// ``subscriptionCount`` for what is not.
public struct StoreConfiguration: Sendable, Equatable {
    /// A product of the file.
    public struct Item: Sendable, Equatable {
        /// The texts of a product in one language.
        public struct Localization: Sendable, Equatable {
            /// The language or locale, as in `en_US` or `zh-Hans`.
            public let locale: String
            public let displayName: String
            public let description: String
        }

        public let identifier: String
        public let kind: ProductKind
        /// The name under which the developer knows it; customers never see it.
        public let referenceName: String?
        /// `nil` where the file leaves the price empty.
        public let price: Decimal?
        public let isFamilyShareable: Bool
        public let localizations: [Localization]
    }

    /// The version of the format, such as 4 and 0.
    public let version: (major: Int, minor: Int)
    public let items: [Item]
    /// The number of auto-renewable subscriptions in the file, which this version does not read.
    public let subscriptionCount: Int
    /// The storefront's country as ISO 3166-1 alpha-3 names it: `USA` unless the file says otherwise.
    public let storefront: String
    /// The locale of the customer: `en_US` unless the file says otherwise.
    public let locale: String

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
        var identifiers: Set<String> = []
        for item in items where !identifiers.insert(item.identifier).inserted {
            throw StoreConfigurationError(reason: "the product \"\(item.identifier)\" is in the file twice")
        }
        self.items = items
        subscriptionCount = (file.subscriptionGroups ?? []).reduce(0) { $0 + ($1.subscriptions?.count ?? 0) }
        storefront = file.settings?.storefront ?? "USA"
        locale = file.settings?.locale ?? "en_US"
    }

    /// The size in bytes that a file may have at most.
    package static let sizeLimit = 16 * 1024 * 1024

    public static func == (left: StoreConfiguration, right: StoreConfiguration) -> Bool {
        left.version == right.version && left.items == right.items
            && left.subscriptionCount == right.subscriptionCount
            && left.storefront == right.storefront && left.locale == right.locale
    }
}
