internal import ProductCatalog

/// Subscriptions of a catalog by the groups of the store.
struct SubscriptionGroups: Sendable {
    /// Positions in the catalog of the subscriptions of each group.
    private var members: [[Int]] = []
    /// Number of the group of each product, by the product's position in the catalog; -1 for a product without a group.
    /// Empty if no product has a group.
    private var numbers: [Int] = []
    private var numbersByIdentifier: [String: Int] = [:]

    /// Adds a subscription.
    ///
    /// - Parameter count: Number of products in the catalog.
    mutating func add(_ position: Int, to group: String, of count: Int) {
        if numbers.isEmpty { numbers = Array(repeating: -1, count: count) }
        let number = numbersByIdentifier[group] ?? members.count
        if number == members.count {
            numbersByIdentifier[group] = number
            members.append([])
        }
        members[number].append(position)
        numbers[position] = number
    }

    /// Returns the positions of the subscriptions of a product's group; empty for a product without a group.
    func members(with position: Int) -> [Int] {
        guard !numbers.isEmpty, numbers[position] >= 0 else { return [] }
        return members[numbers[position]]
    }
}
