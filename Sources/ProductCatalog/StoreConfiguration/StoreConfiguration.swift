public import Foundation
public import PropertyList

/// A StoreKit configuration file (`.storekit`) of Xcode: products and settings of a test store. All versions of the
/// format are supported.
///
/// A private key in the file is neither decoded nor shown.
public struct StoreConfiguration: Sendable, Equatable {
    /// Texts of a product or a group in one language.
    public struct Localization: Sendable, Equatable {
        /// Language or locale, such as `en_US` or `zh-Hans`.
        public let locale: String
        public let displayName: String
        public let description: String
    }

    /// Product in a StoreKit configuration file, including the product of a subscription.
    public struct Item: Sendable, Equatable {
        public let identifier: String
        public let kind: ProductKind
        /// Internal name for the developer, not shown to customers.
        public let referenceName: String?
        /// Price of the product; `nil` if the price is missing or empty in the file.
        public let price: Decimal?
        public let isFamilyShareable: Bool
        public let localizations: [Localization]
    }

    /// An auto-renewable subscription.
    public struct Subscription: Sendable, Equatable {
        public let item: Item
        /// Name of the subscription group. A customer has at most one active subscription of a group.
        public let group: String
        /// Rank of the subscription in its group: 1 is the highest.
        public let level: Int
        /// Renewal period of the subscription in ISO 8601 notation, such as `P1M`.
        public let period: String?
        public let offers: [Offer]
    }

    /// An offer with a reduced price for a limited time.
    public struct Offer: Sendable, Equatable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case introductory, promotional, winBack, code
        }

        public enum PaymentMode: String, Sendable, Hashable, CaseIterable {
            case free, payAsYouGo, payUpFront
        }

        public let kind: Kind
        /// Identifier of the offer, or its reference name or internal identifier if it has none.
        public let identifier: String
        public let paymentMode: PaymentMode
        /// Length of one period of the offer in ISO 8601 notation.
        public let period: String?
        /// Number of periods for which the offer is valid.
        public let periodCount: Int
        /// Price of the offer; `nil` for a free offer, and if the price is missing or empty in the file.
        public let price: Decimal?
    }

    /// Version of the file format: major and minor number, such as 4 and 0.
    public let version: (major: Int, minor: Int)
    /// Consumables, non-consumables and non-renewing subscriptions.
    public let items: [Item]
    /// Auto-renewable subscriptions, group by group.
    public let subscriptions: [Subscription]
    /// Products and offers that are left out because this version does not know a value in them, each with the reason
    /// as a sentence without a capital letter and period. Each version of Xcode may add such values.
    public let omissions: [String]
    /// ISO 3166-1 alpha-3 country code of the storefront: `USA` unless the file contains another one.
    public let storefront: String
    /// Locale of the customer: `en_US` unless the file contains another one.
    public let locale: String
    private let data: Data

    /// Keys that are in no known version of the format, as paths such as `products[2].pricing`. Computed on access.
    public var unknownKeys: [String] { UnknownStoreKeys.find(in: data) }

    /// Parses a configuration file.
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
        var omissions: [String] = []
        let items = declared.compactMap { $0.item(&omissions) }
        let subscriptions = (file.subscriptionGroups ?? []).flatMap { group in
            (group.subscriptions ?? []).compactMap {
                $0.subscription(group: group.name ?? group.id ?? "", &omissions)
            }
        }
        var identifiers: Set<String> = []
        for item in items + subscriptions.map(\.item) where !identifiers.insert(item.identifier).inserted {
            throw StoreConfigurationError(reason: "the product \(item.identifier.quoted) is in the file twice")
        }
        self.items = items
        self.subscriptions = subscriptions
        self.omissions = omissions
        storefront = file.settings?.storefront ?? "USA"
        locale = file.settings?.locale ?? "en_US"
        self.data = data
    }

    /// Maximum size of a file in bytes.
    package static let sizeLimit = 16 * 1024 * 1024

    public static func == (left: StoreConfiguration, right: StoreConfiguration) -> Bool {
        left.version == right.version && left.items == right.items
            && left.subscriptions == right.subscriptions && left.unknownKeys == right.unknownKeys
            && left.storefront == right.storefront && left.locale == right.locale
    }
}

/// Error thrown when a StoreKit configuration file cannot be used.
public struct StoreConfigurationError: DescribedError {
    /// Description of the error as part of a sentence.
    public let reason: String
    /// Position of a syntax error; `nil` for other errors, and if the position is unknown.
    public let position: SourcePosition?

    public init(reason: String, position: SourcePosition? = nil) {
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\($0): \(reason)" } ?? reason }

    public var recoverySuggestion: String? { "Save the file again with the StoreKit configuration editor of Xcode." }
}

extension StoreConfigurationError {
    init(decoding error: any Error, of data: Data) {
        guard let error = error as? DecodingError else {
            self.init(reason: "the file cannot be read: \(error)")
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(reason: "\(Self.path(context.codingPath + [key])) is missing")
        case .typeMismatch(_, let context):
            self.init(reason: "\(Self.path(context.codingPath)) has an unexpected type")
        case .valueNotFound(_, let context): self.init(reason: "\(Self.path(context.codingPath)) is null")
        case .dataCorrupted: self.init(reason: "the file is not JSON", position: Self.syntaxErrorPosition(in: data))
        @unknown default:
            self.init(reason: "the file is not a StoreKit configuration: \(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let path = keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : "the file" + path
    }

    /// Returns the position of the first JSON syntax error. `JSONDecoder` does not provide it on all platforms;
    /// `JSONSerialization` provides it only in its message.
    private static func syntaxErrorPosition(in data: Data) -> SourcePosition? {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return nil
        } catch {
            let words = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
            guard let match = words.firstMatch(of: /character ([0-9]+)/), let offset = Int(match.1) else { return nil }
            let lines = data.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = String(decoding: lines.last ?? Data(), as: UTF8.self).unicodeScalars.count + 1
            return SourcePosition(line: max(lines.count, 1), column: column)
        }
    }
}
