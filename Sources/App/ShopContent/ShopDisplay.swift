public import Vitrine
internal import VitrineCatalog
package import VitrineEntitlements

/// Content of a whole shop at one moment, for customers and in their language.
public struct ShopDisplay: Sendable {
    /// Condition of a shop as a whole.
    public enum Condition: Sendable, Hashable {
        /// The products are not known yet.
        case loading
        case ready
        /// There are no products, for the given reason in the language of the customer.
        case empty(String)
    }

    /// Subscriptions of one group, which are shown side by side.
    public struct PlanGroup: Sendable, Hashable, Identifiable {
        /// Identifier of the group.
        public let id: String
        /// Name of the group; `nil` if the store has not sent one.
        public let name: String?
        /// Subscriptions of the group from the highest level to the lowest.
        public let plans: [ProductContent]
    }

    /// Units of a wallet.
    public struct Wallet: Sendable, Hashable, Identifiable {
        /// Name of the wallet in the catalog.
        public let id: String
        /// Balance with the name, such as "50 coins".
        public let text: String
    }

    public let condition: Condition
    /// Sentence about the shop as a whole, such as that the store cannot be reached; `nil` if there is nothing to say.
    public let notice: String?
    /// Groups of at least two subscriptions.
    public let planGroups: [PlanGroup]
    /// Listings of the products that are in none of the ``planGroups``, in catalog order.
    public let products: [ProductListing]
    public let wallets: [Wallet]
    /// `true` if the shop has auto-renewable subscriptions, which the customer can manage in the store.
    public let hasSubscriptions: Bool
    public let phrases: ShopPhrases
    private let listings: [ProductListing]
    private let plans: CurrentPlans

    /// Creates the content from the present state of a manager.
    public init(of manager: CatalogManager, phrases: ShopPhrases) {
        self.init(
            status: manager.status, listings: manager.listing, subscriptions: manager.subscriptions,
            balances: manager.wallets.balances, phrases: phrases)
    }

    package init(
        status: LoadingStatus, listings: [ProductListing], subscriptions: [CustomerSubscription],
        balances: [String: WalletBalance], phrases: ShopPhrases
    ) {
        let plans = CurrentPlans(listings, subscriptions: subscriptions)
        self.listings = listings
        self.plans = plans
        self.phrases = phrases
        (condition, notice) = Self.condition(status, isEmpty: listings.isEmpty, phrases)
        let subscriptionListings = listings.filter { $0.kind == .autoRenewableSubscription }
        hasSubscriptions = !subscriptionListings.isEmpty
        planGroups = Self.groups(subscriptionListings, plans, phrases)
        let grouped = Set(planGroups.flatMap(\.plans).map(\.id))
        products = grouped.isEmpty ? listings : listings.filter { !grouped.contains($0.id) }
        wallets = balances.sorted { $0.key < $1.key }.map { name, balance in
            Wallet(id: name, text: "\(phrases.number(balance.units)) \(name)")
        }
    }

    /// Returns the content of a listed product.
    public func content(of listing: ProductListing) -> ProductContent {
        ProductContent(listing, plans: plans, phrases: phrases)
    }

    /// Returns the content of a product; `nil` if the catalog does not contain it.
    public func content(of product: String) -> ProductContent? {
        listings.first { $0.id == product }.map { content(of: $0) }
    }

    private static func condition(
        _ status: LoadingStatus, isEmpty: Bool, _ phrases: ShopPhrases
    ) -> (Condition, String?) {
        let unreachable = phrases.text(.storeUnreachable)
        return switch status {
        case .listLoadFailed, .productsLoadFailed: isEmpty ? (.empty(unreachable), nil) : (.ready, unreachable)
        case .productsLoading, .listLoaded: (isEmpty ? .loading : .ready, nil)
        case .productsLoaded: (isEmpty ? .empty(phrases[.noProducts]) : .ready, nil)
        }
    }

    private static func groups(
        _ listings: [ProductListing], _ plans: CurrentPlans, _ phrases: ShopPhrases
    ) -> [PlanGroup] {
        var order: [String] = []
        var members: [String: [(listing: ProductListing, plan: ListedSubscription)]] = [:]
        for listing in listings {
            guard let plan = listing.subscription, let group = plan.group else { continue }
            if members[group] == nil { order.append(group) }
            members[group, default: []].append((listing, plan))
        }
        return order.compactMap { group in
            guard let found = members[group], found.count > 1 else { return nil }
            let sorted = found.enumerated().sorted { first, second in
                (first.element.plan.level ?? .max, first.offset) < (second.element.plan.level ?? .max, second.offset)
            }
            return PlanGroup(
                id: group, name: found.lazy.compactMap(\.plan.groupName).first,
                plans: sorted.map { ProductContent($0.element.listing, plans: plans, phrases: phrases) })
        }
    }
}

extension CatalogEvent {
    /// `true` if the content of a shop may have changed with the event.
    public var changesShop: Bool {
        switch self {
        case .loading(.statusChanged), .loading(.catalogUpdated), .listingChanged, .entitlements(.subscriptionChanged),
            .entitlements(.walletChanged), .ledger(.lossChanged), .eventsMissed:
            true
        default: false
        }
    }
}
