internal import PropertyList

struct GrandfatheredRule: CatalogRule {
    static let identifier = "grandfathered"
    static let explanation =
        "A grandfathering rule that is not understood would give a product to everybody, or to nobody."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration -> [Finding] in
            let problems = declaration.grandfathered.flatMap(\.problems).map { problem in
                finding(.error, problem.value, at: problem.position, leavingOut: [index])
            }
            let never = declaration.product.grandfathered.filter(\.neverHolds).map { rule in
                finding(
                    .warning,
                    "nobody fulfils \(rule.conditions): the store tells a version on macOS, and a build elsewhere",
                    at: declaration.dictionary?[CatalogKey.grandfathered.rawValue]?.position ?? declaration.position)
            }
            guard declaration.product.kind == .consumable, !declaration.grandfathered.isEmpty else {
                return problems + never
            }
            return problems + [
                finding(
                    .warning,
                    "\(declaration.displayName) is a consumable, which nobody owns: grandfathered is ignored",
                    at: declaration.dictionary?[CatalogKey.grandfathered.rawValue]?.position ?? declaration.position)
            ]
        }
    }
}
