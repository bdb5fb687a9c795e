/// Has every rule that looks at single products look at one after the other.
struct ProductChecker {
    private var rules = AllRules.forProducts
    private(set) var report: FindingReport

    /// - Parameter findingLimit: How many findings of one rule are told.
    init(findingLimit: Int = CatalogLimits.findings) { report = FindingReport(limit: findingLimit) }

    mutating func check(_ declaration: ProductDeclaration, at index: Int) {
        for number in rules.indices {
            let findings = rules[number].findings(in: declaration, at: index)
            if !findings.isEmpty { report.add(findings, of: type(of: rules[number]).identifier) }
        }
    }
}
