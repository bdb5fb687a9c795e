internal import PropertyList

struct ContentOverlapRule: CrossProductRule {
    static let identifier = "content-overlap"
    static let explanation =
        "Installing content replaces the whole folder that it goes to: where two products name the "
        + "same place, or one a place inside the other's, each installation would destroy the other's."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // Sorted by path, what lies inside a folder follows that folder.
        var places: [(path: String, index: Int)] = []
        for (index, declaration) in draft.declarations.enumerated() {
            guard declaration.product.isHosted, declaration.product.kind != .consumable,
                let path = declaration.product.localContentPath, !path.components.isEmpty
            else { continue }
            places.append((path.foldingKey, index))
        }
        places.sort { $0.path == $1.path ? $0.index < $1.index : $0.path < $1.path }
        var outer: (path: String, index: Int)?
        return places.compactMap { place in
            guard let holder = outer, place.path == holder.path || place.path.hasPrefix(holder.path + "\u{0}") else {
                outer = place
                return nil
            }
            let (first, second) = (draft.declarations[holder.index], draft.declarations[place.index])
            return finding(
                .error,
                "the content of \(second.displayName) would lie in the folder of \(first.displayName), "
                    + "and each would destroy the other",
                at: second.localContentPath?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the folder of \(first.displayName) is named here",
                        position: first.localContentPath?.position)
                ],
                leavingOut: [holder.index, place.index])
        }
    }
}
