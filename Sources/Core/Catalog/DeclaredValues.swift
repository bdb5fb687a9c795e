/// Values of a ``CatalogProduct`` other than its identifier and type. The properties of ``CatalogProduct`` document
/// them.
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
    /// Values for display and download, and `userInfo`.
    var details = ProductDetails.none
    var place: Place
}
