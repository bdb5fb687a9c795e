internal import PropertyList

struct GrandfatheredRule: ProductRule {
    static let identifier = "grandfathered"
    static let explanation =
        "A grandfathering rule that is not understood would give a product to everybody, or to nobody."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let first = declaration.grandfathered.first else {
            guard let rules = declaration[.grandfathered], rules.kind == .array, rules.count == 0 else { return [] }
            return [finding(.warning, "grandfathered has no rule in it: nobody fulfils it", at: rules.position)]
        }
        let isFine =
            declaration.product.kind != .consumable
            && declaration.grandfathered.allSatisfy { $0.problems.isEmpty && $0.rule.flatMap(doubt) == nil }
        if isFine { return [] }
        let problems = declaration.grandfathered.flatMap(\.problems).map { problem in
            finding(.error, problem.value, at: problem.position, leavingOut: [index])
        }
        guard declaration.product.kind != .consumable else {
            return problems + [
                finding(
                    .warning,
                    "\(declaration.displayName) is a consumable, which nobody owns: grandfathered is ignored",
                    at: declaration[.grandfathered]?.position ?? first.place.position)
            ]
        }
        return problems
            + declaration.grandfathered.compactMap { declared in
                declared.rule.flatMap(doubt).map { finding(.warning, $0, at: declared.place.position) }
            }
    }

    /// What is strange about a rule that can be read.
    private func doubt(_ rule: GrandfatheringRule) -> String? {
        if let reason = rule.reasonItNeverHolds { return "nobody fulfils \(rule.conditions): \(reason)" }
        if rule.alwaysHolds { return "everybody fulfils \(rule.conditions)" }
        guard rule.hasVersionForBuild else { return nil }
        return
            "\(rule.conditions): that looks like a version, which the store tells on macOS alone; elsewhere it tells "
            + "builds"
    }
}
