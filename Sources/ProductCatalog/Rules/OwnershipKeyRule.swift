internal import PropertyList

struct OwnershipKeyRule: CatalogRule {
    static let identifier = "ownership-key"
    static let explanation =
        "Whoever can change the file could give everything away: what a customer owns is never read "
        + "from a catalog."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            declaration.entries.filter { $0.key == CatalogKey.ownershipKey }.map { entry in
                finding(
                    .error, "\(entry.key.quoted) says what a customer owns, which a catalog cannot",
                    at: entry.keyPosition, leavingOut: [index])
            }
        }
    }
}
