/// Under which conditions products are listed without a manager: for whom, where, and by what app.
public struct ListingConditions: Sendable, Hashable {
    /// The customer's languages as BCP 47 tags, the best first.
    public var languages: [String]
    /// The language of the store's texts as a BCP 47 tag. Where it is not the first of ``languages``, they are not shown;
    /// `nil` where it is not known, and they are.
    public var storeLanguage: String?
    /// The country of the customer's storefront, as ISO 3166-1 alpha-3 names it; `nil` where it is not known.
    public var storefront: String?
    /// The app's version; `nil` where it is not known: no product then needs a later one.
    public var appVersion: String?
    /// The products whose hosted content can be had; `nil` for all.
    public var availableContent: Set<String>?
    /// Why nothing can be bought on the device, as the rest of a sentence; `nil` where it can.
    public var paymentRestriction: String?
    /// Why nothing new is sold from the catalog, as the rest of a sentence; `nil` where it is.
    public var sellingObstacle: String?

    public init(
        languages: [String], storeLanguage: String? = nil, storefront: String? = nil, appVersion: String? = nil,
        availableContent: Set<String>? = nil, paymentRestriction: String? = nil, sellingObstacle: String? = nil
    ) {
        self.languages = languages
        self.storeLanguage = storeLanguage
        self.storefront = storefront
        self.appVersion = appVersion
        self.availableContent = availableContent
        self.paymentRestriction = paymentRestriction
        self.sellingObstacle = sellingObstacle
    }
}
