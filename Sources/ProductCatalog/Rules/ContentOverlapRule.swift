internal import PropertyList

struct ContentOverlapRule: CrossProductRule {
    static let identifier = "content-overlap"
    static let explanation =
        "Installing content replaces its whole folder: if two products declare the same folder, or one declares a "
        + "folder inside the other's, installing the content of one destroys that of the other."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // Sorted by path, each folder is followed by the folders inside it.
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
                "the content folder of \(second.displayName) overlaps that of \(first.displayName): "
                    + "installing one destroys the other",
                at: second.localContentPath?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the folder of \(first.displayName) is declared here",
                        position: first.localContentPath?.position)
                ],
                leavingOut: [holder.index, place.index])
        }
    }
}
