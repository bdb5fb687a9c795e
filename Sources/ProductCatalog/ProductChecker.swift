/// Applies all rules for single products to each product.
struct ProductChecker {
    private var rules = AllRules.forProducts
    private(set) var report: FindingReport

    /// - Parameter findingLimit: Maximum number of reported findings per rule.
    init(findingLimit: Int = CatalogLimits.findings) { report = FindingReport(limit: findingLimit) }

    mutating func check(_ declaration: ProductDeclaration, at index: Int) {
        for number in rules.indices {
            let findings = rules[number].findings(in: declaration, at: index)
            if !findings.isEmpty { report.add(findings, of: type(of: rules[number]).identifier) }
        }
    }
}
