internal import VitrinePropertyList

/// Findings of all rules, and the products that are excluded from the catalog because of them.
struct FindingReport {
    /// Findings of one rule. Findings above the maximum number are counted, but not reported.
    private struct Reported {
        let limit: Int
        var diagnostics: [Diagnostic] = []
        var othersCount = 0
        var severityOfOthers = Diagnostic.Severity.note
        var locationOfOthers = SourceLocation(nil)

        mutating func add(_ finding: Finding) {
            guard diagnostics.count == limit else { return diagnostics.append(finding.diagnostic) }
            if othersCount == 0 { locationOfOthers = finding.diagnostic.location }
            othersCount += 1
            if finding.severity.isWorse(than: severityOfOthers) { severityOfOthers = finding.severity }
        }

        func withOthers(of rule: String) -> [Diagnostic] {
            guard othersCount > 0 else { return diagnostics }
            return diagnostics + [
                Diagnostic(
                    rule: rule, severity: severityOfOthers,
                    message: othersCount == 1
                        ? "1 more finding of this rule is not shown"
                        : "\(othersCount) more findings of this rule are not shown",
                    location: locationOfOthers)
            ]
        }
    }

    private let limit: Int
    private var reported: [String: Reported] = [:]
    /// Indexes of the product declarations that are excluded from the catalog because of errors.
    private(set) var declarations: Set<Int> = []

    /// Creates an empty report.
    ///
    /// - Parameter limit: Maximum number of reported findings per rule. Further findings are counted.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ findings: [Finding], of rule: String) {
        var found = reported.removeValue(forKey: rule) ?? Reported(limit: limit)
        for finding in findings {
            declarations.formUnion(finding.declarations)
            found.add(finding)
        }
        reported[rule] = found
    }

    /// Diagnostics in file order, those without a position first. Diagnostics at the same position are in the order of
    /// the rules.
    var sortedDiagnostics: [Diagnostic] {
        let diagnostics = AllRules.identifiers.flatMap { rule in reported[rule]?.withOthers(of: rule) ?? [] }
        return diagnostics.enumerated()
            .sorted { left, right in
                if left.element.location < right.element.location { return true }
                return !(right.element.location < left.element.location) && left.offset < right.offset
            }
            .map(\.element)
    }
}

extension Diagnostic.Severity {
    fileprivate func isWorse(than other: Diagnostic.Severity) -> Bool {
        switch (self, other) {
        case (.error, .warning), (.error, .note), (.warning, .note): true
        default: false
        }
    }
}

/// Checker that applies each rule for single products to the products that can violate the rule.
struct ProductChecker {
    private var rules = AllRules.forProducts
    private let concerns = AllRules.forProducts.map { type(of: $0).concerns }
    private(set) var report: FindingReport

    /// Creates a checker with all rules for single products and an empty report.
    ///
    /// - Parameter findingLimit: Maximum number of reported findings per rule.
    init(findingLimit: Int = CatalogLimits.findings) { report = FindingReport(limit: findingLimit) }

    mutating func check(_ declaration: ProductDeclaration, at index: Int) {
        let traits = declaration.traits
        for number in rules.indices where traits == .all || !traits.isDisjoint(with: concerns[number]) {
            let findings = rules[number].findings(in: declaration, at: index)
            if !findings.isEmpty { add(findings, of: type(of: rules[number]).identifier, in: declaration) }
        }
    }

    private mutating func add(_ findings: [Finding], of rule: String, in declaration: ProductDeclaration) {
        let isIgnored = declaration.ignores(rule)
        report.add(isIgnored ? findings.filter { $0.severity == .error } : findings, of: rule)
    }
}
