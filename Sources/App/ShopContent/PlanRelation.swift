public import Foundation
public import Vitrine
internal import VitrineCatalog
public import VitrineEntitlements

/// Relation of a subscription to the one that the customer has in its group.
public enum PlanRelation: Sendable, Hashable {
    /// The customer has no active subscription in the group.
    case open
    case current
    /// The subscription has a higher level, and would replace the current one at once.
    case upgrade
    /// The subscription would replace the current one at once, or at a date: when its period ends.
    case change(at: Date?)
    /// The subscription replaces the current one at a date, as the customer has chosen.
    case next(at: Date)
}

/// Active subscriptions of a customer by group, from which the relation of other subscriptions to them follows. One that a
/// member of the family shares is none of them: the customer can buy another beside it, which begins at once.
public struct CurrentPlans: Sendable, Hashable {
    private struct Plan: Sendable, Hashable {
        let subscription: CustomerSubscription
        let level: Int?
        let period: RenewalPeriod?
    }

    private var plans: [String: Plan] = [:]

    /// - Parameters:
    ///   - listings: Listings of all products.
    ///   - subscriptions: Subscriptions of the customer.
    public init(_ listings: [ProductListing], subscriptions: [CustomerSubscription]) {
        for subscription in subscriptions where subscription.isActive && !subscription.isFamilyShared {
            let listing = listings.first { $0.id == subscription.productIdentifier }
            guard let plan = listing?.subscription, let group = plan.group, plans[group] == nil else { continue }
            plans[group] = Plan(subscription: subscription, level: plan.level, period: plan.period)
        }
    }

    /// Returns the relation of a product to them; `nil` for one that is not an auto-renewable subscription.
    public func relation(of listing: ProductListing) -> PlanRelation? {
        listing.subscription.map { relation(of: listing.id, $0) }
    }

    /// Apple's rules: a higher level applies at once, as does the same level with the same period; everything else
    /// applies when the current period ends.
    func relation(of product: String, _ plan: ListedSubscription) -> PlanRelation {
        guard let group = plan.group, let current = plans[group] else { return .open }
        let end = current.subscription.expirationDate
        if product == current.subscription.productIdentifier { return .current }
        if product == current.subscription.nextProduct { return .next(at: end) }
        guard let level = plan.level, let currentLevel = current.level else { return .change(at: nil) }
        if level < currentLevel { return .upgrade }
        return .change(at: level == currentLevel && plan.period == current.period ? nil : end)
    }
}
