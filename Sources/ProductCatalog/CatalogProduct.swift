public import PropertyList

/// What kind of thing a product is, in the App Store's terms.
public enum ProductKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Used up, and bought again: its value is credited to a wallet.
    case consumable
    /// Bought once and owned from then on.
    case nonConsumable
    /// Owned for a time that the app counts.
    case nonRenewingSubscription
    /// Owned while the store renews it.
    case autoRenewableSubscription
    /// The catalog does not say; the store's answer will.
    case unknown
}

/// A product as the catalog declares it, before the store has said anything about it.
public struct CatalogProduct: Sendable, Equatable {
    /// The identifier under which the store sells it. Unique in a catalog.
    public var identifier: String
    public var kind: ProductKind
    /// The wallet that a consumable's value is credited to. Several products may name the same one.
    public var storageKey: String?
    /// The units that are credited for each unit of quantity; above zero.
    public var productValue: Int?
    /// The identifiers of the products that are unlocked with this one.
    public var childProducts: [String]
    /// The number of directly contained products which, once owned, take this one off sale.
    public var maxChildren: Int?
    /// Where its content lies; if it is hosted, below the content directory.
    public var localContentPath: ContentPath?
    /// The content is downloaded after the purchase, from the store or from the app's own server.
    public var isHosted: Bool
    /// Where the app's own server has the content, and what it has to be.
    public var content: CatalogContent?
    /// The name of an image file, or its URL.
    public var productIcon: String?
    /// The name of a large image file, or its URL.
    public var featuredImage: String?
    /// What is shown as the title while the store has not answered.
    public var productTitle: LocalizedText?
    /// What is shown as the description before the store's own.
    public var longDescription: LocalizedText?
    /// Whoever fulfils one of these rules owns the product without buying it.
    public var grandfathered: [GrandfatheringRule]
    /// The version of the app from which on it is offered.
    public var minimumAppVersion: VersionNumber?
    /// Whatever the app keeps there, as it stands in the file.
    public var userInfo: PropertyListValue?
    /// The group of subscriptions of which a customer has one at a time.
    public var subscriptionGroup: String?
    /// The rank of a subscription in its group: 1 is the highest.
    public var level: Int?
    /// How long a non-renewing subscription lasts. How long any other lasts is not the catalog's to say.
    public var subscriptionDuration: SubscriptionDuration?
    /// Where the product stands in the file, if it comes from one.
    public var position: SourcePosition? {
        get { place.position }
        set { place = Place(newValue) }
    }

    private(set) var place: Place

    /// Where the value of one of its keys stands, or else the product.
    func position(of key: CatalogKey) -> SourcePosition? {
        (place.value?.kind == .dictionary ? place.value?[key.name] : nil)?.position ?? position
    }

    /// A product made in code. Everything but the identifier may be left out, as in a file that lists identifiers
    /// alone; the kind is then unknown until the store answers.
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
        self.init(
            identifier: identifier, kind: kind, storageKey: storageKey, productValue: productValue,
            childProducts: childProducts, maxChildren: maxChildren, localContentPath: localContentPath,
            isHosted: isHosted, content: content, productIcon: productIcon, featuredImage: featuredImage,
            productTitle: productTitle,
            longDescription: longDescription, grandfathered: grandfathered, userInfo: userInfo,
            place: Place(position), subscriptionGroup: subscriptionGroup, level: level,
            subscriptionDuration: subscriptionDuration, minimumAppVersion: minimumAppVersion)
    }

    init(
        identifier: String, kind: ProductKind = .unknown, storageKey: String? = nil, productValue: Int? = nil,
        childProducts: [String] = [], maxChildren: Int? = nil, localContentPath: ContentPath? = nil,
        isHosted: Bool = false, content: CatalogContent? = nil, productIcon: String? = nil,
        featuredImage: String? = nil,
        productTitle: LocalizedText? = nil, longDescription: LocalizedText? = nil,
        grandfathered: [GrandfatheringRule] = [], userInfo: PropertyListValue? = nil, place: Place,
        subscriptionGroup: String? = nil, level: Int? = nil, subscriptionDuration: SubscriptionDuration? = nil,
        minimumAppVersion: VersionNumber? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.storageKey = storageKey
        self.productValue = productValue
        self.childProducts = childProducts
        self.maxChildren = maxChildren
        self.localContentPath = localContentPath
        self.isHosted = isHosted
        self.content = content
        self.productIcon = productIcon
        self.featuredImage = featuredImage
        self.productTitle = productTitle
        self.longDescription = longDescription
        self.grandfathered = grandfathered
        self.userInfo = userInfo
        self.place = place
        self.subscriptionGroup = subscriptionGroup
        self.level = level
        self.subscriptionDuration = subscriptionDuration
        self.minimumAppVersion = minimumAppVersion
    }

    /// Where its content lies in the content directory, once it is installed; `nil` for a product without such content,
    /// and for a consumable, which nobody owns.
    public var hostedContentPath: ContentPath? { isHosted && kind != .consumable ? localContentPath : nil }

    /// The value of a consumable's purchase, and the wallet that gets it.
    ///
    /// - Returns: `nil` where the catalog names no wallet or no value, or where the product does not fit in 64 bits.
    public func credit(forQuantity quantity: Int) -> (wallet: String, amount: Int)? {
        guard let storageKey, let productValue, productValue > 0, quantity > 0 else { return nil }
        let (amount, overflows) = productValue.multipliedReportingOverflow(by: quantity)
        return overflows ? nil : (storageKey, amount)
    }
}
