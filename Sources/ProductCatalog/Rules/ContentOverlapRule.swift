internal import PropertyList

struct ContentOverlapRule: CatalogRule {
    static let identifier = "content-overlap"
    static let explanation =
        "Installing content replaces the whole folder that it goes to: where two products name the "
        + "same place, or one a place inside the other's, each installation would destroy the other's."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // Sorted by path, what lies inside a folder follows that folder.
        let places = draft.declarations.enumerated()
            .compactMap { index, declaration in
                declaration.product.hostedContentPath.map { (path: $0.folded, index: index) }
            }
            .filter { !$0.path.isEmpty }
            .sorted { left, right in
                left.path == right.path ? left.index < right.index : left.path.lexicographicallyPrecedes(right.path)
            }
        var findings: [Finding] = []
        var outer: (path: [String], index: Int)?
        for place in places {
            guard let holder = outer, place.path.starts(with: holder.path) else {
                outer = place
                continue
            }
            let (first, second) = (draft.declarations[holder.index], draft.declarations[place.index])
            findings.append(
                finding(
                    .error,
                    "the content of \(second.displayName) would lie in the folder of \(first.displayName), "
                        + "and each would destroy the other",
                    at: second.localContentPath?.position,
                    notes: [
                        Diagnostic.Note(
                            message: "the folder of \(first.displayName) is named here",
                            position: first.localContentPath?.position)
                    ],
                    leavingOut: [holder.index, place.index]))
        }
        return findings
    }
}
