/// Values of a ``CatalogProduct``, which documents them, besides its identifier and type.
struct DeclaredValues: Sendable, Equatable {
    var storageKey: String?
    var productValue: Int?
    var childProducts: [String] = []
    var maxChildren: Int?
    var localContentPath: ContentPath?
    var isHosted = false
    var grandfathered: [GrandfatheringRule] = []
    var minimumAppVersion: VersionNumber?
    var subscriptionGroup: String?
    var level: Int?
    var subscriptionDuration: SubscriptionDuration?
    /// Values that are only shown or downloaded.
    var details = ProductDetails.none
    var place: Place
}
