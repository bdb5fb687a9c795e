internal import VitrinePropertyList

struct OwnershipKeyRule: ProductRule {
    static let identifier = "ownership-key"
    static let explanation =
        "Anyone who can edit the file could grant products for free: ownership is never read from a "
        + "catalog."
    static let concerns: ProductTraits = .unknownKeys

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        (declaration.keys?.unknown ?? []).filter { $0.key == CatalogKey.ownershipKey }.map { entry in
            finding(
                .error, "\(entry.key.quoted) declares a product as owned, which a catalog cannot do",
                at: entry.keyPosition, fix: .removingEntry(entry.value, "remove \(entry.key.quoted)"),
                leavingOut: [index])
        }
    }
}
