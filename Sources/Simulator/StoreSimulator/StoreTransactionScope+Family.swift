internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Purchases that members of a family share with each other.
extension StoreTransactionScope {
    /// Maximum number of members of a family.
    private static let largestFamily = 6

    /// Adds a customer to a family, whose members share their purchases with each other from now on.
    ///
    /// - Throws: ``SimulatedStoreError`` `invalidFamily` if the customer is in another family, or the family has six
    ///   members.
    mutating func join(_ family: String, _ customer: Int64) throws {
        var joining = try self.customer(customer)
        guard joining.family != family else { return }
        guard joining.family == nil else {
            throw SimulatedStoreError(code: .invalidFamily, reason: "the customer \(joining.name) is in another family")
        }
        let members = try members(of: family)
        guard members.count < Self.largestFamily else {
            throw SimulatedStoreError(
                code: .invalidFamily, reason: "the family \(family) has \(Self.largestFamily) members already")
        }
        try joining.updateChanges(database) { $0.family = family }
        for member in members {
            try share(from: member, with: customer)
            try share(from: customer, with: member)
        }
    }

    /// Removes a customer from their family, and revokes the purchases that they and the other members shared.
    mutating func leaveFamily(_ customer: Int64) throws {
        var leaving = try self.customer(customer)
        guard leaving.family != nil else { return }
        try leaving.updateChanges(database) { $0.family = nil }
        let copies = try PurchaseRecord.order { $0.id }.filter { $0.sharedFrom != nil }.fetchAll(database)
        for copy in copies {
            guard let owner = copy.sharedFrom else { continue }
            // Periods that have run out are not shared any more.
            if copy.groupID != nil {
                guard try subscription(endingWith: copy)?.hasEnded == false else { continue }
            }
            if try copy.customer == customer || purchase(owner).customer == customer { try endSharing(copy) }
        }
    }

    /// Shares a new purchase with the family of its customer.
    mutating func share(_ record: PurchaseRecord) throws {
        guard record.kind == .nonConsumable, isShareable(record) else { return }
        for member in try others(inFamilyOf: record.customer) { try addCopy(of: record, for: member) }
    }

    /// Notifies the app's server of a new period of a subscription, and shares the period with the family of its
    /// customer.
    mutating func announce(
        _ subscription: SubscriptionRecord, _ record: PurchaseRecord, as kind: NotificationKind
    ) throws {
        try notify(kind, record)
        guard isShareable(record) else {
            for shared in try SubscriptionRecord.fetchAll(sharedFrom: subscription.id, from: database)
            where !shared.hasEnded {
                try endSharing(shared)
            }
            return
        }
        for member in try others(inFamilyOf: record.customer) {
            try addCopy(of: record, in: subscription, for: member, as: kind)
        }
    }

    /// Revokes the copies of a revoked purchase that family members share.
    mutating func revokeCopies(of record: PurchaseRecord) throws {
        for copy in try PurchaseRecord.order({ $0.id }).filter({ $0.sharedFrom == record.id }).fetchAll(database) {
            try endSharing(copy)
        }
    }

    /// Reinstates the shared copies of a purchase whose refund is reversed, except for customers who have left the
    /// family. The app's server is notified as of members who join the family.
    mutating func reinstateCopies(of record: PurchaseRecord) throws {
        let members = try others(inFamilyOf: record.customer)
        for copy in try PurchaseRecord.order({ $0.id }).filter({ $0.sharedFrom == record.id }).fetchAll(database)
        where copy.revocationDate != nil && members.contains(copy.customer) {
            let shared = try reinstate(copy)
            try log(.shared, shared)
            if shared.groupID == nil {
                try notify(NotificationKind(.oneTimeCharge), shared)
            } else if try subscription(endingWith: shared)?.isRunning == true {
                try notify(NotificationKind(.subscribed, .resubscribe), shared)
            }
        }
    }

    /// Ends the sharing of a purchase with a family member, whose copy of it is revoked.
    @discardableResult
    mutating func endSharing(_ copy: PurchaseRecord) throws -> PurchaseRecord {
        guard copy.revocationDate == nil else { return try revoke(copy, .family) }
        if var subscription = try subscription(endingWith: copy) {
            subscription.set(.revoked)
            try subscription.update(database)
        }
        let revoked = try revoke(copy, .family)
        try log(.sharingEnded, revoked)
        try notify(NotificationKind(.revoke), revoked)
        return revoked
    }

    /// Ends a family member's access to a subscription that has changed to a plan that cannot be shared. The member's
    /// period is revoked, unless it has run out.
    private mutating func endSharing(_ subscription: SubscriptionRecord) throws {
        let copy = try purchase(subscription.purchase)
        if let end = copy.expiresDate, end <= date.milliseconds {
            try expire(subscription, because: .other)
        } else {
            try endSharing(copy)
        }
    }

    private mutating func share(from owner: Int64, with member: Int64) throws {
        let purchases = try PurchaseRecord.bought(by: owner).filter { $0.revocationDate == nil }
            .order { $0.id }.fetchAll(database)
        for record in purchases where isShareable(record) {
            if record.kind == ProductKind.nonConsumable {
                try addCopy(of: record, for: member)
            } else if let subscription = try subscription(endingWith: record), subscription.isRunning {
                try addCopy(
                    of: record, in: subscription, for: member, as: NotificationKind(.subscribed, .resubscribe))
            }
        }
    }

    private mutating func addCopy(of record: PurchaseRecord, for member: Int64) throws {
        let copy = try add(record.shared(with: member))
        try log(.shared, copy)
        try notify(NotificationKind(.oneTimeCharge), copy)
    }

    /// Shares a period of a subscription with a family member.
    ///
    /// - Parameter kind: Notification about the period, if it continues the member's access. A member who gets access is
    ///   a subscriber, who subscribes again if the member has ever had a subscription in the group
    ///   ([Apple's description](https://developer.apple.com/documentation/appstoreservernotifications/subtype)).
    private mutating func addCopy(
        of record: PurchaseRecord, in subscription: SubscriptionRecord, for member: Int64, as kind: NotificationKind
    ) throws {
        let number = try nextPurchaseNumber()
        let known = try SubscriptionRecord.filter {
            $0.customer == member && $0.groupID == subscription.groupID
        }.fetchAll(database)
        let earlier = known.first { $0.sharedFrom == subscription.id }
        var copy = subscription.shared(with: member, as: earlier?.id ?? number)
        copy.purchase = number
        try copy.store(in: database)
        var draft = record.shared(with: member)
        draft.originalID = earlier?.id
        draft.originalDate = try earlier.map { try purchase($0.id).purchaseDate }
        let added = try add(draft)
        try log(.shared, added)
        let beginning = NotificationKind(.subscribed, known.isEmpty ? .initialBuy : .resubscribe)
        try notify(earlier?.hasEnded == false ? kind : beginning, added)
    }

    private func isShareable(_ record: PurchaseRecord) -> Bool {
        record.ownershipType == .purchased && core.item(record.productIdentifier)?.isFamilyShareable == true
    }

    private func customer(_ number: Int64) throws -> CustomerRecord {
        guard let record = try CustomerRecord.fetchOne(database, key: number) else {
            throw SimulatedStoreError(
                code: .damaged, reason: "the database of the simulated store has no customer \(number)")
        }
        return record
    }

    private func members(of family: String) throws -> [Int64] {
        try CustomerRecord.filter { $0.family == family }.order { $0.id }.fetchAll(database).compactMap(\.id)
    }

    func others(inFamilyOf customer: Int64) throws -> [Int64] {
        guard let family = try self.customer(customer).family else { return [] }
        return try members(of: family).filter { $0 != customer }
    }
}
