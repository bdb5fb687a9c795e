public import VitrinePropertyList

/// A product as declared in the catalog, without store data.
public struct CatalogProduct: Sendable, Equatable {
    /// Product identifier in the store. Unique in a catalog.
    public var identifier: String
    public var kind: ProductKind
    /// Key of the wallet that a consumable's value is credited to. Several products may use the same wallet.
    public var storageKey: String? {
        get { shared.values.storageKey }
        set { change { $0.storageKey = newValue } }
    }
    /// Number of units credited for each unit of the purchased quantity; greater than zero.
    public var productValue: Int? {
        get { shared.values.productValue }
        set { change { $0.productValue = newValue } }
    }
    /// Identifiers of the products that this product unlocks.
    public var childProducts: [String] {
        get { shared.values.childProducts }
        set { change { $0.childProducts = newValue } }
    }
    /// Limit for the sale of this bundle: the bundle is not sold to a customer who owns at least this number of its
    /// direct children.
    public var maxChildren: Int? {
        get { self[.maxChildren] }
        set { self[.maxChildren] = newValue }
    }
    /// Path of the product's content. The path of hosted content is relative to the content directory.
    public var localContentPath: ContentPath? {
        get { shared.values.localContentPath }
        set { change { $0.localContentPath = newValue } }
    }
    /// `true` if the content is downloaded after the purchase, from the store or from the app's own server.
    public var isHosted: Bool {
        get { shared.values.isHosted }
        set { change { $0.isHosted = newValue } }
    }
    /// Addresses, digest and length of content on the app's own server.
    public var content: CatalogContent? {
        get { shared.values.others.content }
        set { change { $0.others.content = newValue } }
    }
    /// Name or URL of the product's image file.
    public var productIcon: String? {
        get { self[.productIcon] }
        set { self[.productIcon] = newValue }
    }
    /// Name or URL of the product's large image file.
    public var featuredImage: String? {
        get { self[.featuredImage] }
        set { self[.featuredImage] = newValue }
    }
    /// Title to show until the store response is received.
    public var productTitle: LocalizedText? {
        get { self[.productTitle] }
        set { self[.productTitle] = newValue }
    }
    /// Description to show in preference to the store's description.
    public var longDescription: LocalizedText? {
        get { self[.longDescription] }
        set { self[.longDescription] = newValue }
    }
    /// Grandfathering rules. A customer who meets one of them owns the product without a purchase.
    public var grandfathered: [GrandfatheringRule] {
        get { shared.values.grandfathered }
        set { change { $0.grandfathered = newValue } }
    }
    /// Minimum app version that the product is offered to.
    public var minimumAppVersion: VersionNumber? {
        get { self[.minimumAppVersion] }
        set { self[.minimumAppVersion] = newValue }
    }
    /// Value for the app's own use, unchanged from the catalog file.
    public var userInfo: PropertyListValue? {
        get { self[.userInfo] }
        set { self[.userInfo] = newValue }
    }
    /// Name or identifier of the subscription group, used until the store response names the group. A customer has at
    /// most one active subscription of a group.
    public var subscriptionGroup: String? {
        get { self[.subscriptionGroup] }
        set { self[.subscriptionGroup] = newValue }
    }
    /// Rank of a subscription in its group, used until the store response contains it: 1 is the highest. Subscriptions
    /// of a group may have equal levels.
    public var level: Int? {
        get { self[.level] }
        set { self[.level] = newValue }
    }
    /// Duration of a non-renewing subscription.
    ///
    /// For an auto-renewable subscription it is compared with the store's period by `vitrine lint --storekit`, and
    /// never acted on. Ignored for other products.
    public var subscriptionDuration: SubscriptionDuration? {
        get { self[.subscriptionDuration] }
        set { self[.subscriptionDuration] = newValue }
    }
    /// Durations that a non-renewing subscription had before ``subscriptionDuration``, in the order of their dates, so
    /// that every device gives an earlier purchase the same duration.
    public var formerDurations: [FormerDuration] {
        get { (self[.formerDurations] ?? []).sorted { $0.until < $1.until } }
        set { self[.formerDurations] = newValue.isEmpty ? nil : newValue }
    }
    /// Position of the product in the file; `nil` for a product created in code.
    public var position: SourcePosition? {
        get { location.position }
        set { change { $0.location = SourceLocation(newValue) } }
    }

    var location: SourceLocation { shared.values.location }

    /// Values that are not stored, but parsed from the catalog file on each access.
    var keyedValues: KeyedValues { shared.values.others }

    /// Copy of the product without repeated children and without out-of-range numbers.
    var withoutUnusableValues: CatalogProduct {
        var product = self
        product.change {
            $0.childProducts = $0.childProducts.withoutDuplicates
            $0.others.removeUnusableNumbers()
        }
        return product
    }

    private subscript<Value: CatalogValue>(key: CatalogKey) -> Value? {
        get { shared.values.others[key] }
        set { change { $0.others[key] = newValue } }
    }

    /// Values other than the identifier and the type, which most code does not read. Copies of a product share this
    /// object, because a catalog may have ten thousand products that are copied into each listing.
    private var shared: Shared

    private final class Shared: Sendable {
        let values: DeclaredValues

        init(_ values: DeclaredValues) { self.values = values }
    }

    private mutating func change(_ change: (inout DeclaredValues) -> Void) {
        var values = shared.values
        change(&values)
        shared = Shared(values)
    }

    init(identifier: String, kind: ProductKind = .unknown, _ values: DeclaredValues) {
        self.identifier = identifier
        self.kind = kind
        shared = Shared(values)
    }

    /// Returns the position of the value of a key in the product's dictionary, or of the product if the key is missing.
    func position(of key: CatalogKey) -> SourcePosition? {
        (location.value?.kind == .dictionary ? location.value?[key.name] : nil)?.position ?? position
    }

    /// Creates a product in code. Only the identifier is required, as in a file that lists only identifiers. Without
    /// `kind`, the type is unknown until the store response is received. Values without a parameter are set afterwards.
    public init(
        identifier: String,
        kind: ProductKind = .unknown,
        storageKey: String? = nil,
        productValue: Int? = nil,
        childProducts: [String] = [],
        maxChildren: Int? = nil,
        localContentPath: ContentPath? = nil,
        isHosted: Bool = false,
        content: CatalogContent? = nil,
        productIcon: String? = nil,
        featuredImage: String? = nil,
        productTitle: LocalizedText? = nil,
        longDescription: LocalizedText? = nil,
        grandfathered: [GrandfatheringRule] = [],
        userInfo: PropertyListValue? = nil,
        position: SourcePosition? = nil,
        subscriptionGroup: String? = nil,
        level: Int? = nil,
        subscriptionDuration: SubscriptionDuration? = nil,
        minimumAppVersion: VersionNumber? = nil
    ) {
        var values = DeclaredValues(
            storageKey: storageKey, productValue: productValue, childProducts: childProducts,
            localContentPath: localContentPath, isHosted: isHosted, grandfathered: grandfathered,
            location: SourceLocation(position))
        values.others.content = content
        values.others[.maxChildren] = maxChildren
        values.others[.productIcon] = productIcon
        values.others[.featuredImage] = featuredImage
        values.others[.productTitle] = productTitle
        values.others[.longDescription] = longDescription
        values.others[.userInfo] = userInfo
        values.others[.subscriptionGroup] = subscriptionGroup
        values.others[.level] = level
        values.others[.subscriptionDuration] = subscriptionDuration
        values.others[.minimumAppVersion] = minimumAppVersion
        self.init(identifier: identifier, kind: kind, values)
    }

    private static let comparisons = CatalogKey.rows.compactMap { $0.comparison?.isEqual }

    public static func == (left: CatalogProduct, right: CatalogProduct) -> Bool {
        guard left.identifier == right.identifier, left.kind == right.kind else { return false }
        if left.shared === right.shared { return true }
        return comparisons.allSatisfy { $0(left, right) } && left.location == right.location
    }

    /// Path of the installed content in the content directory; `nil` for a product without hosted content, and for a
    /// consumable, which is never owned.
    public var hostedContentPath: ContentPath? { isHosted && kind != .consumable ? localContentPath : nil }

    /// Path of the content that is bundled with the app; `nil` for a product without bundled content.
    public var bundledContentPath: ContentPath? { !isHosted && kind != .consumable ? localContentPath : nil }

    /// Wallet that purchases of the product are credited to: each purchase of a consumable, and each paid period of an
    /// auto-renewable subscription with a ``productValue``. `nil` for other products, because their ``storageKey`` is
    /// not used.
    package var wallet: String? { wallet(as: kind) }

    /// Returns the ``wallet`` of the product if it has a type: the store's for a product whose type the catalog does not
    /// declare.
    package func wallet(as kind: ProductKind) -> String? {
        switch kind {
        case .consumable, .unknown: storageKey
        case .autoRenewableSubscription: productValue == nil ? nil : storageKey
        case .nonConsumable, .nonRenewingSubscription: nil
        }
    }

    /// `true` if the catalog declares neither type nor wallet of the product. If the product is a consumable, the app
    /// may deliver it itself.
    package var mayBeLeftToApp: Bool { kind == .unknown && storageKey == nil }

    /// `true` if the product has content, hosted or bundled with the app.
    package var hasContent: Bool { kind != .consumable && localContentPath != nil }

    /// Returns the wallet and the number of units that a purchase of a quantity credits.
    ///
    /// - Returns: `nil` if the catalog declares no wallet or no value, if the quantity is not positive, or if the
    ///   number of units does not fit in 64 bits.
    public func credit(forQuantity quantity: Int) -> (wallet: String, amount: Int)? {
        guard let storageKey, let productValue, productValue > 0, quantity > 0 else { return nil }
        let (amount, overflows) = productValue.multipliedReportingOverflow(by: quantity)
        return overflows ? nil : (storageKey, amount)
    }
}

/// Settings of a wallet in a catalog.
public struct CatalogWallet: Sendable, Hashable {
    /// Number of units in the wallet before any purchase; not negative.
    public var startingBalance: Int
    /// Effect of a refund on the wallet.
    public var refundPolicy: RefundPolicy

    /// Creates a wallet. By default, it is initially empty and a refund deducts units down to zero.
    public init(startingBalance: Int = 0, refundPolicy: RefundPolicy = .clawback) {
        self.startingBalance = startingBalance
        self.refundPolicy = refundPolicy
    }
}

/// Treatment of the credited units when a purchase is refunded.
public enum RefundPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Deducts the credited units, down to a balance of zero. Units already spent are not owed.
    case clawback
    /// Deducts all credited units. Units already spent are owed, and later credits reduce the debt.
    case debt
    /// Keeps the credited units in the wallet.
    case ignore
}
