internal import VitrinePropertyList

struct GrandfatheredRule: ProductRule {
    static let identifier = "grandfathered"
    static let explanation =
        "A grandfathering rule that cannot be parsed would grant a product to every customer, or to none."
    static let concerns: ProductTraits = .doubtfulGrandfathering

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let first = declaration.grandfathered.first else {
            guard let rules = declaration[.grandfathered], rules.kind == .array, rules.count == 0 else { return [] }
            return [finding(.warning, "grandfathered contains no rule: no customer qualifies", at: rules.position)]
        }
        if Self.areFine(declaration.grandfathered, of: declaration.product) { return [] }
        let problems = declaration.grandfathered.flatMap(\.problems).map { problem in
            finding(.error, problem.value, at: problem.position, leavingOut: [index])
        }
        guard declaration.product.kind != .consumable else {
            return problems + [
                finding(
                    .warning,
                    "\(declaration.displayName) is a consumable and never owned: grandfathered is ignored",
                    at: declaration[.grandfathered]?.position ?? first.location.position)
            ]
        }
        return problems
            + declaration.grandfathered.compactMap { declared in
                declared.rule.flatMap(Self.doubt).map { finding(.warning, $0, at: declared.location.position) }
            }
    }

    /// Returns `true` if a product has grandfathering rules and none of them causes a finding.
    static func areFine(_ rules: [GrandfatheringDeclaration], of product: CatalogProduct) -> Bool {
        !rules.isEmpty && product.kind != .consumable
            && rules.allSatisfy { $0.problems.isEmpty && $0.rule.flatMap(doubt) == nil }
    }

    /// Returns the message of a warning for a grandfathering rule that is valid, but probably a mistake.
    private static func doubt(_ rule: GrandfatheringRule) -> String? {
        if let reason = rule.reasonItNeverHolds { return "no customer can meet \"\(rule.conditions)\": \(reason)" }
        if rule.alwaysHolds { return "every customer meets \"\(rule.conditions)\"" }
        guard rule.hasVersionForBuild else { return nil }
        return
            "\(rule.conditions): this looks like a version, but the store reports versions only on macOS, and builds "
            + "elsewhere"
    }
}
