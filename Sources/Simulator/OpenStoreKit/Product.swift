internal import VitrineCatalog

/// Product of the store, with its price for this customer.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public struct Product: Identifiable, Hashable, Sendable {
    public typealias ID = String

    /// Identifier of the product.
    public let id: String
    public let type: ProductType
    /// Name in the customer's language.
    public let displayName: String
    /// Description in the customer's language.
    public let description: String
    /// Price in units of the currency.
    public let price: Decimal
    /// Price, formatted for the storefront.
    public let displayPrice: String
    /// Indicates that the members of a customer's family share the product.
    public let isFamilyShareable: Bool
    /// Terms of an auto-renewable subscription; `nil` for any other product.
    public let subscription: SubscriptionInfo?
    /// Currency of the price, as an ISO 4217 code.
    let currencyCode: String
    /// Storefront in which the product was loaded.
    let storefront: String
    let localeIdentifier: String
    let connection: ConnectionReference

    init(_ stored: StoreProduct, storefront: String, locale: String, _ connection: StoreConnection) {
        id = stored.identifier
        type = ProductType(stored.kind)
        displayName = stored.displayName
        description = stored.description
        price = stored.price
        displayPrice = stored.displayPrice
        isFamilyShareable = stored.isFamilyShareable
        subscription = stored.subscription.map { SubscriptionInfo($0, of: stored, connection) }
        currencyCode = stored.currencyCode
        self.storefront = storefront
        localeIdentifier = locale
        self.connection = ConnectionReference(connection)
    }

    /// Returns the products with the given identifiers, in the order of the store's configuration. Identifiers that the
    /// store does not know are left out. In a canceled task, the array is empty.
    ///
    /// - Throws: ``StoreKitError`` if the store cannot be reached, or fails.
    public static func products<Identifiers>(for identifiers: Identifiers) async throws -> [Product]
    where Identifiers: Collection, Identifiers.Element == String {
        try await StoreConnection.current.products(for: Array(identifiers))
    }

    /// Format of prices in the currency and language of the storefront.
    public var priceFormatStyle: Decimal.FormatStyle.Currency {
        .currency(code: currencyCode).locale(Locale(identifier: localeIdentifier))
    }

    /// Format of the units of subscription periods.
    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public var subscriptionPeriodUnitFormatStyle: SubscriptionPeriod.Unit.FormatStyle {
        SubscriptionPeriod.Unit.FormatStyle()
    }

    /// The product as JSON, with the keys of the App Store's product data.
    public var jsonRepresentation: Data { ProductDocument(self).data }

    /// Latest transaction of the customer for the product, even a revoked one; `nil` if the customer has never bought
    /// it.
    public var latestTransaction: VerificationResult<Transaction>? {
        get async { await connection.value.latestTransaction(of: id) }
    }

    /// Transaction that entitles the customer to the product; `nil` if there is none.
    @available(iOS, introduced: 15.0, deprecated: 18.4, message: "Use currentEntitlements.")
    @available(macOS, introduced: 12.0, deprecated: 15.4, message: "Use currentEntitlements.")
    @available(tvOS, introduced: 15.0, deprecated: 18.4, message: "Use currentEntitlements.")
    @available(watchOS, introduced: 8.0, deprecated: 11.4, message: "Use currentEntitlements.")
    @available(visionOS, introduced: 1.0, deprecated: 2.4, message: "Use currentEntitlements.")
    public var currentEntitlement: VerificationResult<Transaction>? {
        get async { await connection.value.entitlements(to: id).last }
    }

    /// Transactions that entitle the customer to the product.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    public var currentEntitlements: Transaction.Transactions {
        let (connection, id) = (connection.value, id)
        return Transaction.Transactions { await connection.entitlements(to: id) }
    }

    /// Type of a product.
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let consumable = ProductType(rawValue: "Consumable")
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Subscription that bundles several subscriptions. The simulated store sells none.
        @available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *)
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// Subscription for the seats of an organization. The simulated store sells none.
        @available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *)
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")

        /// Name of the product type, in English.
        @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
        public var localizedDescription: String { rawValue }
    }
}

extension Product: CustomDebugStringConvertible {
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

extension Product.ProductType {
    init(_ kind: ProductKind) {
        self =
            switch kind {
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .nonRenewingSubscription: .nonRenewable
            case .autoRenewableSubscription: .autoRenewable
            case .unknown: Product.ProductType(rawValue: "Unknown")
            }
    }
}

/// JSON of a product, with the keys of the App Store's product data.
private struct ProductDocument: Encodable {
    struct Attributes: Encodable {
        struct Offer: Encodable {
            let price: String
            let priceFormatted: String
            let currencyCode: String
            let recurringSubscriptionPeriod: String?
        }

        let name: String
        let description: Description
        let kind: String
        let isFamilyShareable: Bool
        let offers: [Offer]
        let subscriptionFamilyId: String?
        let subscriptionFamilyRank: Int?
    }

    struct Description: Encodable {
        let standard: String
    }

    let id: String
    let type = "in-apps"
    let attributes: Attributes

    init(_ product: Product) {
        id = product.id
        attributes = Attributes(
            name: product.displayName, description: Description(standard: product.description),
            kind: product.type.rawValue, isFamilyShareable: product.isFamilyShareable,
            offers: [
                Attributes.Offer(
                    price: "\(product.price)", priceFormatted: product.displayPrice,
                    currencyCode: product.currencyCode,
                    recurringSubscriptionPeriod: product.subscription?.subscriptionPeriod.iso8601)
            ],
            subscriptionFamilyId: product.subscription?.subscriptionGroupID,
            subscriptionFamilyRank: product.subscription?.groupLevel)
    }

    var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            preconditionFailure("a product cannot be encoded as JSON: \(error)")
        }
    }
}
