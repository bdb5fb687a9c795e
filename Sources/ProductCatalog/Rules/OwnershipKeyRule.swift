internal import PropertyList

struct OwnershipKeyRule: ProductRule {
    static let identifier = "ownership-key"
    static let explanation =
        "Whoever can change the file could give everything away: what a customer owns is never read "
        + "from a catalog."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        (declaration.keys?.unknown ?? []).filter { $0.key == CatalogKey.ownershipKey }.map { entry in
            finding(
                .error, "\(entry.key.quoted) says what a customer owns, which a catalog cannot",
                at: entry.keyPosition, fix: .removingEntry(entry.value, "remove \(entry.key.quoted)"),
                leavingOut: [index])
        }
    }
}
