/// Ownership of a purchase in signed data. The store may add others.
public struct OwnershipType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// A family member of the customer bought the product and shares it.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}
