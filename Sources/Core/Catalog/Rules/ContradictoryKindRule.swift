internal import VitrinePropertyList

struct ContradictoryKindRule: SingleFindingRule {
    static let identifier = "contradictory-kind"
    static let explanation =
        "The keys type and consumable both define the type of a product; if they contradict each other, one is wrong."
    static let concerns: ProductTraits = .keys(.type)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard let type = declaration.text(.type) else { return nil }
        guard let kind = ProductKind(declared: type.value) else {
            return finding(
                .error, "\(type.value.quoted) is not one of the types \(typeNames)\(suggestion(for: type.value))",
                at: type.position, leavingOut: [index])
        }
        guard let isConsumable = declaration.isConsumable, isConsumable.value != (kind == .consumable) else {
            return nil
        }
        return finding(
            .error, "the type \(type.value.quoted) contradicts consumable = \(isConsumable.value)",
            at: type.position,
            notes: [
                Diagnostic.Note(message: "the key consumable is declared here", position: isConsumable.position)
            ],
            leavingOut: [index])
    }

    private func suggestion(for name: String) -> String {
        let kinds = ProductKind.allCases.filter { $0 != .unknown }.map(\.rawValue)
        let word = name.lowercased().filter(\.isLetter)
        return (Self.otherNames[word]?.rawValue ?? EditDistance.nearest(to: name, among: kinds))
            .map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Types by their names in `.storekit` files, App Store Connect and other libraries, in lower case and without
    /// other characters than letters. Some of them are nearer to the name of another type.
    private static let otherNames: [String: ProductKind] = [
        "recurringsubscription": .autoRenewableSubscription, "autorenewable": .autoRenewableSubscription,
        "autorenewing": .autoRenewableSubscription, "autorenewingsubscription": .autoRenewableSubscription,
        "renewable": .autoRenewableSubscription, "renewablesubscription": .autoRenewableSubscription,
        "renewingsubscription": .autoRenewableSubscription, "recurring": .autoRenewableSubscription,
        "nonrenewable": .nonRenewingSubscription, "nonrenewing": .nonRenewingSubscription,
        "nonrenewablesubscription": .nonRenewingSubscription, "nonrecurringsubscription": .nonRenewingSubscription,
    ]

    private var typeNames: String {
        ProductKind.allCases.filter { $0 != .unknown }.map(\.rawValue).joined(separator: ", ")
    }
}
