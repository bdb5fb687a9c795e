package import Foundation
package import VitrineShopContent

/// Content of a page of the shop in one state. All texts are plain text without markup.
package struct ShopPage: Sendable, Hashable {
    /// Revision number, which increases with each change of the shop.
    package let revision: Int
    package let view: PreviewView
    /// Language of the page: the view's, or the store's if the view has none.
    package let language: String
    /// Storefront of the page: the view's, or the store's if the view has none.
    package let storefront: String
    package let languages: [PreviewChoice]
    package let storefronts: [PreviewChoice]
    /// Name of the catalog file.
    package let catalogName: String
    /// Name of the `.storekit` file; `nil` if the store was created from the catalog.
    package let storeName: String?
    /// Current date of the store's clock.
    package let clock: Date
    package let clockText: String
    /// Status of loading the products, such as "products loaded".
    package let status: String
    package let hasNetwork: Bool
    package let asksToBuy: Bool
    package let interruptsPurchases: Bool
    package let isBillingWorking: Bool
    /// Build number of the app that the customer first installed; `nil` if it is unknown.
    package let originalBuild: String?
    /// Phrases for customers in the language of the page.
    package let phrases: ShopPhrases
    /// Filter of the products.
    package let filter: ProductFilter
    /// Number of products in the catalog.
    package let totalCount: Int
    /// Number of products that the filter accepts.
    package let productCount: Int
    /// Products that the catalog's errors exclude from the shop, at most 50.
    package let dropped: [DroppedProduct]
    /// Cards of at most five products with a usable featured image, in catalog order.
    package let featured: [ShopCard]
    /// Indexes of ``cards`` among the accepted products: the requested range, limited to these products.
    package let range: Range<Int>
    package let cards: [ShopCard]
    package let wallets: [ShopWallet]
    package let subscriptions: [ShopSubscription]
    package let timeline: [PreviewStep]
    /// Findings about the catalog in the order of the file, at most 200.
    package let findings: [ShopFinding]
    /// Number of findings by severity.
    package let findingCounts: [ShopFinding.Severity: Int]
    /// Unusable files; the shop shows their last valid versions.
    package let fileErrors: [PreviewFileError]
    /// Transactions of the customer, newest first, at most 200.
    package let transactions: [ShopTransaction]
    /// Purchases that wait for approval.
    package let pending: [ShopTransaction]
    package let scenes: [PreviewScene]
    /// Number that increases whenever an overview of a scene may change.
    package let overviewVersion: Int
}

/// Product of the catalog file that an error excludes from the shop.
package struct DroppedProduct: Sendable, Hashable {
    package let identifier: String
    package let findings: [ShopFinding]
}

/// Card of a product in the shop.
package struct ShopCard: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case buyable
        case owned
        /// The purchase is in progress, for example waiting for approval.
        case pending
        /// The product cannot be bought at the moment, for the given reason.
        case notOffered(String)
    }

    package let identifier: String
    /// Index of the product in the catalog.
    package let position: Int
    package let title: String
    package let text: String
    /// Price from the store; for a subscription with its period, such as "$9.99 a month".
    package let price: String?
    /// Short labels in the language of the page, such as "Subscription" or "Family Sharing".
    package let badges: [String]
    package let state: State
    /// Texts about buying the product.
    package let sale: SaleContent
    /// Maximum quantity per purchase: 10 for a consumable and a non-renewing subscription, otherwise 1.
    package let maxQuantity: Int
    package let bundle: ShopBundle?
    package let terms: ShopTerms?
    /// Offers that the user of the preview can choose instead of what the button buys.
    package let offers: [ShopOffer]
    /// Units of a wallet that a purchase credits, such as "50 coins, $0.02 each"; `nil` if it credits none.
    package let credit: String?
    /// Identifier of the icon for ``PreviewShop/image(_:)``; `nil` if there is no usable icon.
    package let icon: String?
    /// Identifier of the featured image; `nil` if there is no usable image.
    package let featuredImage: String?
    package let content: ShopContent?
    /// Findings about the product and its images.
    package let findings: [ShopFinding]

    /// Action of the button that buys one unit of the product, with the offer that the terms describe.
    package var purchase: PreviewAction {
        terms?.winBackOffer.map { .buyOffer(product: identifier, offer: .winBack($0)) }
            ?? .buy(product: identifier, quantity: 1)
    }
}

/// Products of a bundle.
package struct ShopBundle: Sendable, Hashable {
    package struct Child: Sendable, Hashable {
        package let identifier: String
        package let title: String
        package let price: String?
        package let isOwned: Bool
    }

    /// Direct children of the bundle, at most 50.
    package let children: [Child]
    /// Number of the bundle's direct children.
    package let count: Int
    package let ownedCount: Int
    /// Saving compared with buying the products individually, such as "Save $5.00"; `nil` if there is none.
    package let saving: String?
}

/// Offer of a product that the user of a preview can choose, whether or not the customer is eligible for it.
package struct ShopOffer: Sendable, Hashable {
    package let offer: PreviewOffer
    /// Description of the offer: its prices, or the name of an offer code.
    package let text: String
}

/// Descriptions of a subscription's terms.
package struct ShopTerms: Sendable, Hashable {
    package let pricePerMonth: String?
    package let saving: String?
    /// Description of the offer that the customer gets by buying, such as "1 week free, then $9.99 a month"; `nil` if
    /// there is none.
    package let offer: String?
    /// Identifier of the ``offer`` if it is a win-back offer; `nil` for others.
    package let winBackOffer: String?
}

/// State of a product's hosted content.
package struct ShopContent: Sendable, Hashable {
    /// Message to the customer, in the language of the page; `nil` for content that cannot be downloaded.
    package let text: String?
    /// Description of the content's state for the developer.
    package let state: String
    /// Installed or downloaded fraction of the content, from 0 to 1.
    package let fraction: Double
    package let count: Int
    package let installedCount: Int
    /// `true` if the customer can download the content at the moment.
    package let canDownload: Bool
    /// `true` if content is installed and can be removed.
    package let canRemove: Bool
}

/// Wallet of the customer, with its balance.
package struct ShopWallet: Sendable, Hashable {
    package let name: String
    /// Balance of the wallet; `nil` if it is unknown.
    package let balance: Int?
}

/// Subscription of the customer, with its state.
package struct ShopSubscription: Sendable, Hashable {
    package let product: String
    package let title: String
    /// Description of the subscription's state, with the next renewal.
    package let text: String
    package let isActive: Bool
    /// `true` if the subscription renews; `nil` if this is unknown.
    package let isRenewing: Bool?
    /// `true` if the customer has not answered whether they consent to a higher price.
    package let needsConsent: Bool
}

/// Result of checking the catalog or its files.
package struct ShopFinding: Sendable, Hashable {
    package enum Severity: String, Sendable, CaseIterable {
        case error, warning, note
    }

    package let severity: Severity
    package let message: String
    /// Identifier of the catalog rule, such as "unknown-child"; `nil` for other checks.
    package let rule: String?
    /// Line in the catalog file, starting with 1; `nil` if there is none.
    package let line: Int?
    package let column: Int?
    /// Identifier of the product that the finding concerns; `nil` for the catalog as a whole.
    package let product: String?
}

/// Unusable file of a preview, with the reason.
package struct PreviewFileError: Error, Hashable {
    /// Name of the file without its folder.
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
    /// Identifier of the order; `nil` for a pending purchase.
    package let order: String?
    /// `true` if the store can refund the transaction.
    package let canBeRefunded: Bool
    /// `true` for a purchase that waits because the customer has to resolve an issue.
    package let isInterrupted: Bool
    /// Description of the transaction's state, such as "refunded"; `nil` for an ordinary purchase.
    package let state: String?
}

/// Image of a product, with checked type and size.
package struct ShopImage: Sendable, Hashable {
    package let data: Data
    /// Media type (MIME type), such as `image/png`.
    package let mediaType: String
}
