/// Subscriptions of a catalog, grouped by the subscription groups of the store. The members of a group form a linked
/// list, which avoids an array for each group.
struct SubscriptionGroups: Sendable {
    /// Last added member of each group, as a position in the catalog.
    private var lastMembers: [Int] = []
    /// Number of each product's group, and the position of the member added before it, by the product's position in the
    /// catalog; -1 for none. Empty if no product has a group.
    private var links: [(group: Int, earlier: Int)] = []
    private var numbers: [String: Int] = [:]

    /// Adds a subscription.
    ///
    /// - Parameter count: Number of products in the catalog.
    mutating func add(_ position: Int, to group: String, of count: Int) {
        if links.isEmpty { links = Array(repeating: (-1, -1), count: count) }
        if let number = numbers[group] {
            links[position] = (number, lastMembers[number])
            lastMembers[number] = position
        } else {
            numbers[group] = lastMembers.count
            links[position] = (lastMembers.count, -1)
            lastMembers.append(position)
        }
    }

    /// Returns the positions of the subscriptions of a product's group; empty for a product without a group.
    func members(with position: Int) -> [Int] {
        var members: [Int] = []
        _ = containsMember(with: position) { member in
            members.append(member)
            return false
        }
        return members
    }

    /// Returns `true` if a condition holds for a subscription of a product's group.
    func containsMember(with position: Int, where holds: (Int) -> Bool) -> Bool {
        guard !links.isEmpty, links[position].group >= 0 else { return false }
        var member = lastMembers[links[position].group]
        while member >= 0 {
            if holds(member) { return true }
            member = links[member].earlier
        }
        return false
    }
}
