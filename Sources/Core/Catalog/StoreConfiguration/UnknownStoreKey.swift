internal import Foundation

/// Unknown key in a StoreKit configuration file, which may have been edited by hand.
struct UnknownStoreKey {
    /// Path of the key, such as `products[2].pricing`.
    let path: String
    private let name: String
    /// Keys that the format allows in the object that contains the unknown key.
    private let known: [String]

    /// Known key that was probably intended; `nil` if no known key is similar.
    var suggestion: String? { EditDistance.nearest(to: name, among: known) }

    /// Finds the keys in a StoreKit configuration file that no known version of the format contains.
    ///
    /// - Returns: Unknown keys, sorted by their paths. The values of unknown keys are not searched.
    static func find(in data: Data) -> [UnknownStoreKey] {
        guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return [] }
        return Array(unknownKeys(in: root, Self.root, path: "").prefix(CatalogLimits.findings))
    }

    /// Expected structure of a JSON value. A value of the structure `anything` is not searched for unknown keys.
    private indirect enum Shape: Sendable {
        case anything
        case object([String: Shape])
        case array(Shape)
    }

    private static func unknownKeys(in value: Any, _ shape: Shape, path: String) -> [UnknownStoreKey] {
        switch shape {
        case .anything: return []
        case .array(let element):
            return (value as? [Any] ?? []).enumerated().flatMap { index, value in
                unknownKeys(in: value, element, path: "\(path)[\(index)]")
            }
        case .object(let known):
            return (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value in
                let path = path.isEmpty ? key : "\(path).\(key)"
                return known[key].map { unknownKeys(in: value, $0, path: path) } ?? [
                    UnknownStoreKey(path: path, name: key, known: known.keys.sorted())
                ]
            }
        }
    }

    private static func object(_ keys: String, _ shapes: [String: Shape] = [:]) -> Shape {
        let names = keys.split(whereSeparator: \.isWhitespace).map(String.init)
        return .object(
            Dictionary(names.map { ($0, .anything) }, uniquingKeysWith: { first, _ in first })
                .merging(shapes) { $1 })
    }

    // The keys of versions 1.0 to 6.3. Settings begin with an underscore, and Xcode adds to them freely.
    private static let localizations = Shape.array(object("description displayName locale"))
    private static let product = """
        productID type referenceName displayPrice familyShareable familySharable internalID promotionalImageID
        codeOffers
        """
    private static let subscription = object(
        product + """
             recurringSubscriptionPeriod groupNumber subscriptionGroupID adHocOffers introductoryOffer
             introductoryOffers winbackOffers billingPlans
            """, ["localizations": localizations])
    /// Keys of the whole file.
    static let rootKeys = keys(of: root)
    /// Keys of a subscription group.
    static let groupKeys = keys(of: group)

    private static func keys(of shape: Shape) -> Set<String> {
        if case .object(let shapes) = shape { Set(shapes.keys) } else { [] }
    }

    private static let group = object(
        "id name", ["localizations": localizations, "subscriptions": .array(subscription)])
    private static let root = object(
        """
        version settings identifier appPolicies subscriptionOffersKeyPair subscriptionBundleGroups
        subscriptionSuiteGroups
        """,
        [
            "products": .array(object(product, ["localizations": localizations])),
            "nonRenewingSubscriptions": .array(object(product, ["localizations": localizations])),
            "subscriptionGroups": .array(group),
        ])
}
