internal import VitrinePropertyList

struct IgnoredRulesRule: ProductRule {
    static let identifier = "ignored-rules"
    static let explanation =
        "A name in ignoredRules that is not the name of a rule ignores nothing, and is often misspelled. Errors are "
        + "reported all the same."
    static let concerns: ProductTraits = .keys(.ignoredRules)

    private var names = RuleNames()

    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        (declaration.keys?.ignoredRules ?? []).compactMap { name in
            names.objection(to: name.value).map { objection in finding(.warning, objection, at: name.position) }
        }
    }
}

/// Check of names of rules in catalogs and settings.
struct RuleNames {
    private static let known = CatalogRuleDescription.all.map(\.identifier)
    /// Maximum number of unknown names with a spelling suggestion.
    private static let mostSuggestions = 20
    private var suggestionCount = 0

    /// Returns the reason why a name is not the name of a rule, with a suggestion; `nil` for the name of a rule.
    mutating func objection(to name: String) -> String? {
        guard !Self.known.contains(name) else { return nil }
        var suggestion: String?
        if suggestionCount < Self.mostSuggestions {
            suggestionCount += 1
            suggestion = EditDistance.nearest(to: name, among: Self.known)
        }
        return "there is no rule \(name.quoted)" + (suggestion.map { "; did you mean \($0.quoted)?" } ?? "")
    }
}

/// Products with `ignoredRules`, and the findings that are left out because of them.
///
/// A finding belongs to a product if its position is within the product. In a binary property list, whose objects may be
/// shared, it is the position of the product or of one of its values.
struct IgnoredRules: Sendable {
    private struct Area {
        let range: ClosedRange<SourcePosition>
        let rules: Set<String>
    }

    /// Products in a text, in file order.
    private var areas: [Area] = []
    private var rulesByObject: [SourcePosition: Set<String>] = [:]
    private var all: Set<String> = []

    /// - Parameter declarations: Declarations with the key, in file order.
    init(_ declarations: [ProductDeclaration]) {
        for declaration in declarations {
            guard let keys = declaration.keys else { continue }
            let (dictionary, rules) = (keys.dictionary, Set(keys.ignoredRules.map(\.value)))
            all.formUnion(rules)
            if let end = dictionary.endPosition {
                areas.append(Area(range: dictionary.position...end, rules: rules))
            } else {
                for object in [dictionary] + dictionary.entries.map(\.value) {
                    rulesByObject[object.position, default: []].formUnion(rules)
                }
            }
        }
    }

    /// Returns the findings that no product ignores.
    func filter(_ findings: [Finding], of rule: String) -> [Finding] {
        guard all.contains(rule) else { return findings }
        return findings.filter { !contains($0.diagnostic) }
    }

    /// Returns `true` for a diagnostic that its product ignores. A diagnostic that excludes a product is never ignored.
    func contains(_ diagnostic: Diagnostic) -> Bool {
        guard !diagnostic.excludesProduct, all.contains(diagnostic.rule), let position = diagnostic.position else {
            return false
        }
        if rulesByObject[position]?.contains(diagnostic.rule) == true { return true }
        // The last product that begins at or before the position.
        var (low, high) = (0, areas.count)
        while low < high {
            let middle = (low + high) / 2
            if areas[middle].range.lowerBound <= position { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return false }
        return areas[low - 1].range.contains(position) && areas[low - 1].rules.contains(diagnostic.rule)
    }
}
