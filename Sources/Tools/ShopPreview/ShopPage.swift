package import Foundation

/// Everything that a page shows of a shop at one moment. All texts are plain text, and never markup.
package struct ShopPage: Sendable, Hashable {
    /// Number that grows with each change of the shop.
    package let revision: Int
    package let view: PreviewView
    /// Language of the page: that of the view, or else of the store.
    package let language: String
    /// Storefront of the page: that of the view, or else of the store.
    package let storefront: String
    package let languages: [PreviewChoice]
    package let storefronts: [PreviewChoice]
    /// File name of the catalog.
    package let catalogName: String
    /// File name of the `.storekit` file; `nil` if the store was made from the catalog.
    package let storeName: String?
    /// Date of the store's clock.
    package let clock: Date
    package let clockText: String
    /// Stage of loading, such as "products loaded".
    package let status: String
    package let hasNetwork: Bool
    package let asksToBuy: Bool
    package let isBillingWorking: Bool
    /// Build with which the customer first installed the app; `nil` if it is not known.
    package let originalBuild: String?
    /// Number of products in the catalog.
    package let productCount: Int
    /// Cards of products with a featured image that can be shown, five at most, in catalog order.
    package let featured: [ShopCard]
    /// Positions of ``cards`` in the catalog: the requested range, within the catalog.
    package let range: Range<Int>
    package let cards: [ShopCard]
    package let wallets: [ShopWallet]
    package let subscriptions: [ShopSubscription]
    package let timeline: [PreviewStep]
    /// Findings of the catalog in the order of the file, 200 at most.
    package let findings: [ShopFinding]
    /// Number of findings by severity.
    package let findingCounts: [ShopFinding.Severity: Int]
    /// Files that cannot be used in their present state, so that the shop shows their last good one.
    package let brokenFiles: [BrokenFile]
    /// Transactions of the customer, newest first, 200 at most.
    package let transactions: [ShopTransaction]
    /// Purchases that wait for approval.
    package let pending: [ShopTransaction]
    package let scenes: [PreviewScene]
}

/// Product as a card of the shop.
package struct ShopCard: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case buyable
        case owned
        /// Purchase that waits, such as for approval.
        case pending
        /// Product that cannot be bought now, for a reason.
        case notOffered(String)
    }

    package let identifier: String
    /// Position in the catalog, from 0.
    package let position: Int
    package let title: String
    package let text: String
    /// Price of the store; for a subscription with its period, such as "$9.99 a month".
    package let price: String?
    /// Kind in words, such as "non-consumable".
    package let kind: String
    /// Short remarks, such as "bundle" or "family sharing".
    package let badges: [String]
    package let state: State
    /// Largest quantity in one purchase: 10 for a consumable, otherwise 1.
    package let maxQuantity: Int
    package let bundle: ShopBundle?
    package let terms: ShopTerms?
    package let credit: ShopCredit?
    /// Identifier of the icon, for `PreviewShop.image`; `nil` if there is none that can be shown.
    package let icon: String?
    /// Identifier of the featured image; `nil` if there is none that can be shown.
    package let featuredImage: String?
    package let content: ShopContent?
    /// Findings of the catalog about the product, and images that cannot be shown.
    package let findings: [ShopFinding]
}

/// Contents of a bundle.
package struct ShopBundle: Sendable, Hashable {
    package struct Child: Sendable, Hashable {
        package let identifier: String
        package let title: String
        package let price: String?
        package let isOwned: Bool
    }

    /// Products directly in the bundle, 50 at most.
    package let children: [Child]
    /// Number of products directly in the bundle.
    package let count: Int
    package let ownedCount: Int
    /// Text of what is saved, such as "$5.00"; `nil` if nothing is.
    package let saving: String?
}

/// Terms of a subscription in words.
package struct ShopTerms: Sendable, Hashable {
    package let group: String?
    package let pricePerMonth: String?
    package let saving: String?
    /// Texts of the offers that the customer gets, such as "1 week free, then $9.99 a month".
    package let offers: [String]
    /// State of the customer's subscription in words; `nil` if there is none.
    package let current: String?
}

/// Units that a consumable credits.
package struct ShopCredit: Sendable, Hashable {
    package let wallet: String
    package let units: Int
    package let pricePerUnit: String?
}

/// Hosted content of a product.
package struct ShopContent: Sendable, Hashable {
    /// State in words.
    package let state: String
    /// Part that is installed or downloaded, from 0 to 1.
    package let fraction: Double
    package let count: Int
    package let installedCount: Int
    /// `true` if the customer can download the content now.
    package let canDownload: Bool
    /// `true` if content is installed and can be removed.
    package let canRemove: Bool
}

/// Wallet of the customer.
package struct ShopWallet: Sendable, Hashable {
    package let name: String
    /// Balance; `nil` if it is not known.
    package let balance: Int?
}

/// Subscription of the customer.
package struct ShopSubscription: Sendable, Hashable {
    package let product: String
    package let title: String
    /// State in words, with the next renewal.
    package let text: String
    package let isActive: Bool
    /// `true` if the subscription renews; `nil` if that is not known.
    package let isRenewing: Bool?
}

/// Result of a check of the catalog, or of its files.
package struct ShopFinding: Sendable, Hashable {
    package enum Severity: String, Sendable, CaseIterable {
        case error, warning, note
    }

    package let severity: Severity
    package let message: String
    /// Identifier of the rule, such as "unknown-child"; `nil` for other checks.
    package let rule: String?
    /// Line in the catalog, from 1; `nil` if there is none.
    package let line: Int?
    package let column: Int?
    /// Identifier of the product.
    package let product: String?
}

/// File that cannot be used in its present state.
package struct BrokenFile: Sendable, Hashable {
    /// File name.
    package let name: String
    package let message: String
    package let line: Int?
    package let column: Int?
}

/// Transaction of the customer in the store.
package struct ShopTransaction: Sendable, Hashable {
    package let identifier: String
    package let product: String
    package let title: String
    package let dateText: String
    package let quantity: Int
    /// `true` if the store can refund the transaction.
    package let canBeRefunded: Bool
    /// State in words, such as "refunded"; `nil` if there is nothing to say.
    package let state: String?
}

/// Image of the shop, whose type and size were checked.
package struct ShopImage: Sendable, Hashable {
    package let data: Data
    /// Media type, such as `image/png`.
    package let mediaType: String
    package let width: Int
    package let height: Int
}
