/// How somebody came to have a purchase, as the store writes it in signed data. The store may add others.
public struct OwnershipType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// Somebody of the customer's family bought it, and shares it.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}
