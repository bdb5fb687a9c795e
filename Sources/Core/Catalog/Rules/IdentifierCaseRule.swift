internal import VitrinePropertyList

struct IdentifierCaseRule: CrossProductRule {
    static let identifier = "identifier-case"
    static let explanation =
        "The App Store distinguishes upper and lower case in product identifiers. Two products whose identifiers differ "
        + "only in case are probably one product, and the other one is unknown to the store."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // Only an identifier with an uppercase letter can differ from another one in case alone.
        var firsts: [String: Int] = [:]
        return draft.list.capitalized.compactMap { index in
            let identifier = draft.declarations[index].product.identifier
            let folded = identifier.lowercased()
            let other = draft.list.firsts[folded] ?? firsts.updateValue(firsts[folded] ?? index, forKey: folded)
            guard let other, draft.declarations[other].product.identifier != identifier else { return nil }
            let (first, second) = (min(index, other), max(index, other))
            return finding(
                .warning,
                "the identifier \(draft.declarations[second].displayName) differs from "
                    + "\(draft.declarations[first].displayName) only in case",
                at: draft.declarations[second].identifier?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the other product is declared here",
                        position: draft.declarations[first].identifier?.position)
                ])
        }
    }
}
