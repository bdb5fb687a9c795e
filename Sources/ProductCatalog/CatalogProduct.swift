public import Foundation
public import PropertyList

/// Product type, in the App Store's terms.
public enum ProductKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A product that is used up and can be bought again. Its value is credited to a wallet.
    case consumable
    /// A product that is bought once and owned permanently.
    case nonConsumable
    /// A subscription for a limited time that the app determines.
    case nonRenewingSubscription
    /// A subscription that the store renews.
    case autoRenewableSubscription
    /// A type that the catalog does not declare. The store response provides the type.
    case unknown
}

/// A product as declared in the catalog, without store data.
public struct CatalogProduct: Sendable, Equatable {
    /// Product identifier in the store. Unique in a catalog.
    public var identifier: String
    public var kind: ProductKind
    /// Key of the wallet to which a consumable's value is credited. Several products may use the same wallet.
    public var storageKey: String?
    /// Number of units credited for each unit of the purchased quantity; greater than zero.
    public var productValue: Int?
    /// Identifiers of the products that this product unlocks.
    public var childProducts: [String]
    /// Limit for the sale of this bundle: the bundle is not sold to a customer who owns at least this number of its
    /// direct children.
    public var maxChildren: Int?
    /// Path of the product's content. The path of hosted content is relative to the content directory.
    public var localContentPath: ContentPath?
    /// `true` if the content is downloaded after the purchase, from the store or from the app's own server.
    public var isHosted: Bool
    /// Addresses, digest and length of content on the app's own server.
    public var content: CatalogContent?
    /// Name or URL of the product's image file.
    public var productIcon: String?
    /// Name or URL of the product's large image file.
    public var featuredImage: String?
    /// Title to show until the store response is received.
    public var productTitle: LocalizedText?
    /// Description to show in preference to the store's description.
    public var longDescription: LocalizedText?
    /// Grandfathering rules. A customer who meets one of them owns the product without a purchase.
    public var grandfathered: [GrandfatheringRule]
    /// Lowest app version to which the product is offered.
    public var minimumAppVersion: VersionNumber?
    /// Value for the app's own use, unchanged from the catalog file.
    public var userInfo: PropertyListValue?
    /// Name or identifier of the subscription group, used until the store response names the group. A customer has at
    /// most one active subscription of a group.
    public var subscriptionGroup: String?
    /// Rank of a subscription in its group, used until the store response contains it: 1 is the highest. Subscriptions
    /// of a group may have equal levels.
    public var level: Int?
    /// Duration of a non-renewing subscription.
    ///
    /// For an auto-renewable subscription it is compared with the store's period by `vitrine lint --storekit`, and
    /// never acted on. Ignored for other products.
    public var subscriptionDuration: SubscriptionDuration?
    /// Position of the product in the file; `nil` for a product created in code.
    public var position: SourcePosition? {
        get { place.position }
        set { place = Place(newValue) }
    }

    private(set) var place: Place

    /// Returns the position of the value of a key in the product's dictionary, or of the product if the key is missing.
    func position(of key: CatalogKey) -> SourcePosition? {
        (place.value?.kind == .dictionary ? place.value?[key.name] : nil)?.position ?? position
    }

    /// Creates a product in code. Only the identifier is required, as in a file that lists only identifiers. Without
    /// `kind`, the type is unknown until the store response is received.
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

    /// Path of the installed content in the content directory; `nil` for a product without hosted content, and for a
    /// consumable, which is never owned.
    public var hostedContentPath: ContentPath? { isHosted && kind != .consumable ? localContentPath : nil }

    /// Path of the content that is bundled with the app; `nil` for a product without bundled content.
    public var bundledContentPath: ContentPath? { !isHosted && kind != .consumable ? localContentPath : nil }

    /// Wallet to which purchases of the product are credited; `nil` for a product that is not a consumable, whose
    /// ``storageKey`` is not used.
    package var wallet: String? { kind == .consumable || kind == .unknown ? storageKey : nil }

    /// `true` if the catalog names neither type nor wallet: if the product is a consumable, the app may deliver
    /// it itself.
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

/// Content of a product that the app downloads from a web server, as declared in the catalog.
public struct CatalogContent: Sendable, Hashable {
    /// Value of `contentVersion`. Displayed, and compared for equality only, not for order.
    public var version: String?
    /// Values of `contentURL`: address of the manifest, a property list whose name ends with `.plist`, or of the
    /// archive itself, followed by addresses of the same file on other servers, in the order in which they are tried.
    ///
    /// Empty if the catalog declares no address, or if any of the declared content values is invalid: content that
    /// cannot be verified as declared is not downloaded.
    public var urls: [URL]
    /// Value of `contentDigest` without `sha256:`: digest of the file at the addresses, in 64 lowercase hexadecimal
    /// digits. Required for an archive.
    public var digest: String?
    /// Value of `contentLength`: length of the file at the addresses in bytes.
    public var length: Int?

    public init(version: String? = nil, urls: [URL] = [], digest: String? = nil, length: Int? = nil) {
        self.version = version
        self.urls = urls
        self.digest = digest
        self.length = length
    }
}

extension CatalogContent {
    /// Reads the description of a product's content from the product's keys.
    ///
    /// - Returns: `nil` if the product has none of the keys for content on a web server.
    init?(keys: ProductKeys) {
        let named: [CatalogKey] = [.contentVersion, .contentURL, .contentDigest, .contentLength]
        guard named.contains(where: { keys[$0] != nil }) else { return nil }
        self.init(version: keys.string(.contentVersion))
        let addresses = keys.texts(.contentURL).map { Self.url($0.value) }
        let digest = keys.string(.contentDigest)
        let length = keys[.contentLength]?.integer
        let isUnderstood = named.allSatisfy { key in
            keys[key] == nil || keys[key]?.string?.isEmpty == true || keys.isOfItsKind(key)
        }
        guard isUnderstood, addresses.allSatisfy({ $0 != nil }), digest.map(Self.isDigest) ?? true, length ?? 1 > 0,
            digest != nil || addresses.allSatisfy({ $0.map(Self.isManifest) ?? false })
        else { return }
        self.urls = addresses.compactMap(\.self)
        self.digest = digest.map { String($0.dropFirst(Self.algorithm.count)) }
        self.length = length
    }

    private static let algorithm = "sha256:"

    /// Parses an address, which must have a host and the scheme `https` or `http`.
    ///
    /// - Returns: `nil` for any other text. An `http` address is returned too, although it is requested only
    ///   from a host for which plain `http` is allowed.
    static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    /// Returns `true` if the address is that of a manifest, not of an archive.
    static func isManifest(_ url: URL) -> Bool { url.pathExtension.lowercased() == "plist" }

    static func isDigest(_ text: String) -> Bool {
        text.hasPrefix(algorithm) && text.utf8.count == algorithm.utf8.count + 64
            && text.utf8.dropFirst(algorithm.utf8.count).allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }
}
